#include "jobs/script/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "jobs/script/container_words.hpp"
#include "jobs/script/program_words.hpp"
#include "jobs/script/sbatch_header.hpp"
#include "jobs/script/service_words.hpp"
#include "jobs/script/shell_file.hpp"
#include "src/base/cli/command_line.hpp"
#include "src/base/core/command_words.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"
#include "src/base/process/launch.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::jobs {
namespace {

std::string jobs_program(const ScriptContext& context) {
  return shell_quote(program_beside_trainer(context.trainer, "epochcast-jobs"));
}

/// A point belongs to one attempt, whose job claims it.
void claim_lines(Lines& lines, const Point& point, const AllocationProfile& site,
                 const ScriptContext& context) {
  lines.add("out={}", shell_quote(context.out));
  lines.add("point={}", shell_quote(point.id));
  add_functions(lines);
  lines.raw("epochcast_claim || exit 1");
  if (site.retry.requeues() && context.slurm) {
    lines.add("epochcast_limit_attempts {}", site.retry.attempts);
  }
  if (run::task_row(task_of(point)).has_epochs || resumes(point)) {
    lines.raw("epochcast_may_resume");
  }
}

bool uses_modules(const AllocationProfile& site) {
  const auto calls_module = [](const std::string& line) { return line.starts_with("module "); };
  return !site.modules.empty() || std::any_of(site.setup.begin(), site.setup.end(), calls_module);
}

/// None of this is in a function, where a declaration of the site would be local.
void setup_lines(Lines& lines, const AllocationProfile& site) {
  const bool modules = uses_modules(site);
  if (!modules && site.setup.empty()) {
    return;
  }
  lines.raw("\nset +u # module systems and site setup read unset variables");
  if (modules) {
    lines.raw("epochcast_find_modules");
    lines.raw("for init in ${inits[@]+\"${inits[@]}\"}; do . \"$init\" && break; done");
  }
  for (const auto& module : site.modules) {
    lines.add("module load {} || exit 1", shell_quote(module));
  }
  for (const auto& line : site.setup) {
    lines.raw(line);
  }
  lines.add("{}set -u\n", modules ? "module list 2>&1\n" : "");
}

/// Variables that the modules and the setup lines of the site, which follow, may set otherwise.
void environment_lines(Lines& lines, const Point& point, const AllocationProfile& site) {
  const bool own = !point.program.is_given();
  if (own) {
    lines.raw("epochcast_own_threads");
  } else if (!starts_several(point.program.command)) {  // such a command sets them for each process
    lines.raw("epochcast_default_threads");
  }
  if (run::gpus_of(site.asks) > 0) {
    lines.add("export CUDA_DEVICE_ORDER={}",
              own ? "PCI_BUS_ID" : "\"${CUDA_DEVICE_ORDER:-PCI_BUS_ID}\"");
    if (run::tasks_of(site.asks) > 1 && own) {
      lines.raw("export SLURM_GPU_BIND=none # NCCL connects GPUs of a node that each rank can see");
    }
  }
  if (!site.launch.hdf5_locking.empty()) {
    lines.add("export HDF5_USE_FILE_LOCKING={}", site.launch.hdf5_locking);
  }
}

/// What the programs of Epochcast are told about the job.
void job_lines(Lines& lines, const AllocationProfile& site, const ScriptContext& context) {
  if (!site.launch.torch.empty()) {
    lines.add("export EPOCHCAST_TORCH={}", shell_quote(site.launch.torch));
  }
  lines.add("export EPOCHCAST_ASKED={}", shell_quote(run::pack(site.asks)));
  if (context.slurm && !memory_option(site, site.asks.memory).empty()) {
    lines.raw("epochcast_asked_memory");
  }
  if (site.prices != run::Prices{}) {
    lines.add("export EPOCHCAST_PRICES={}", shell_quote(run::pack(site.prices)));
  }
  if (site.container.is_used() || !site.launch_prefix.empty()) {
    lines.raw("epochcast_job_info");
  }
}

/// Arguments of every program that writes the record of a point; "$out" is a variable of the
/// script.
std::vector<std::string> place_words(const AllocationProfile& site, const ScriptContext& context) {
  return {R"(--point="$point")", "--experiment=" + shell_quote(context.experiment),
          "--allocation=" + shell_quote(site.name), R"(--records="$out/records")"};
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// What a training that is not a pilot does before its time limit. `limit_lead`: Slurm may send the
/// signal 60 s earlier.
std::vector<std::string> limit_words(const Point& point, const AllocationProfile& site,
                                     const ScriptContext& context) {
  constexpr double early_s = 60;
  const auto& launch = site.launch;
  std::vector<std::string> words;
  if (launch.near_limit != Launch{}.near_limit) {
    words.push_back("--near-limit=" + launch.near_limit);
  }
  if (launch.over_limit != Launch{}.over_limit) {
    words.push_back("--over-limit=" + launch.over_limit);
  }
  if (words.empty() || point.cut) {
    return {};
  }
  const Seconds lead{launch.signal_lead.value + (context.slurm ? early_s : 0)};
  words.push_back("--limit-lead=" + to_text(lead));
  return words;
}

/// The quoted arguments of the program; "$resume" is a variable of the script.
std::vector<std::string> argument_words(const Point& point, const AllocationProfile& site,
                                        const ScriptContext& context, const Program& program) {
  auto words = place_words(site, context);
  words.emplace_back(R"(--work="$out/work")");
  append(words, limit_words(point, site, context));
  if (program.is_given()) {
    if (program.hook.value_or(site.launch.hook)) {
      words.emplace_back("--hook");
    }
    append(words, program_words(point, program));
    return words;
  }
  words.emplace_back(R"(--resume="$resume")");
  for (const auto& parameter : point.parameters) {
    words.push_back(
        fmt::format("--{}={}", cli::option_name(parameter.name), shell_quote(parameter.value)));
  }
  return words;
}

/// Options of srun that come from the container, each after a blank.
std::string container_options(const AllocationProfile& site, const ScriptContext& context) {
  std::string options;
  for (const auto& option : container_srun_options(site, context.out)) {
    options += " " + shell_quote(option);
  }
  return options;
}

/// Before bash 4.4 an empty array is not set.
const std::string launch_words = "${launch[@]+\"${launch[@]}\"} ";
const std::string beside_words = "${beside[@]+\"${beside[@]}\"} ";

/// The launcher of the tasks: srun in a job of Slurm, otherwise `epochcast-jobs launch` if there
/// are several. With several ranks srun waits before it kills the others, so that they can record
/// why a rank is gone.
void launch_lines(Lines& lines, const AllocationProfile& site, const ScriptContext& context) {
  const auto tasks = run::tasks_of(site.asks);
  const auto here =
      tasks == 1 ? std::string()
                 : fmt::format("{} launch --tasks={} --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" --",
                               jobs_program(context), tasks);
  lines.add("launch=({})", here);
  if (context.slurm) {
    const auto ending = tasks == 1 ? std::string("--kill-on-bad-exit=1")
                                   : fmt::format("--kill-on-bad-exit=0 --wait={:.0f}",
                                                 process::LaunchRequest{}.patience.value);
    lines.add("epochcast_srun --ntasks={} {}{}", tasks, ending, container_options(site, context));
  }
}

/// The launchers `beside` and `launch` of the first and the second of two tasks, the second on the
/// last node.
void two_launch_lines(Lines& lines, const AllocationProfile& site, const ScriptContext& context,
                      std::string_view without_gpu) {
  if (!context.slurm) {
    lines.raw("beside=() launch=()");
    return;
  }
  lines.add("epochcast_two_steps {} {}{}", site.asks.nodes - 1,
            run::gpus_of(site.asks) > 0 ? without_gpu : "neither",
            container_options(site, context));
}

/// The program of a task, with the command that starts it in its container.
std::string wrapped(const std::string& program, const AllocationProfile& site,
                    const ScriptContext& context, const std::vector<std::string>& environment) {
  auto words = site.launch_prefix;
  append(words, container_words(site, context.out, environment));
  words.push_back(program);
  std::vector<std::string> quoted;
  for (const auto& word : words) {
    quoted.push_back(shell_quote(word));
  }
  return join(quoted, " ");
}

/// A command in the background, in lines of about 100 characters; what comes after -- has its own.
void background(Lines& lines, std::string command, const std::vector<std::string>& arguments) {
  constexpr std::size_t most = 100;
  auto width = command.size();
  for (const auto& word : arguments) {
    const bool breaks = word == "--" || width + word.size() > most;
    command += (breaks ? " \\\n  " : " ") + word;
    width = (breaks ? 0 : width) + 1 + word.size();
  }
  lines.raw(command + " &");
}

/// The trainer, or a program of the user's.
void program_lines(Lines& lines, const Point& point, const AllocationProfile& site,
                   const ScriptContext& context) {
  launch_lines(lines, site, context);
  const auto program = point.program.is_given() ? program_in(point, context.out) : Program{};
  lines.text_of(program_preparation(point, program));
  background(lines,
             environment_prefix(program) + launch_words +
                 wrapped(program_of(site, context), site, context, names_of_environment(program)),
             argument_words(point, site, context, program));
  lines.raw("pid=$!");
}

/// A service and its load in one task: the load starts the service and stops it.
void one_task_lines(Lines& lines, const Point& point, const AllocationProfile& site,
                    const ScriptContext& context) {
  launch_lines(lines, site, context);
  lines.raw("epochcast_prepare_service");
  auto words = place_words(site, context);
  append(words, target_words());
  append(words, load_words(point));
  words.emplace_back("--");
  words.push_back(shell_quote(program_of(site, context)));
  append(words, service_words(point));
  append(words, listen_words(site));
  background(
      lines,
      launch_words + wrapped(program_beside_trainer(program_of(site, context), "epochcast-load"),
                             site, context, {}),
      words);
  lines.raw("pid=$!");
}

/// A service and its load in a task each, which may be on two nodes.
void two_task_lines(Lines& lines, const Point& point, const AllocationProfile& site,
                    const ScriptContext& context) {
  two_launch_lines(lines, site, context, "launch");
  lines.raw("epochcast_prepare_service");
  auto service = service_words(point);
  append(service, listen_words(site));
  background(lines, beside_words + wrapped(program_of(site, context), site, context, {}), service);
  lines.raw("service=$! pid=$!\nepochcast_await_service");
  auto load = place_words(site, context);
  append(load, target_words());
  load.emplace_back(R"(${patience[@]+"${patience[@]}"})");
  append(load, load_words(point));
  background(
      lines,
      launch_words + wrapped(program_beside_trainer(program_of(site, context), "epochcast-load"),
                             site, context, {}),
      load);
  lines.raw("pid=$!");
}

void service_lines(Lines& lines, const Point& point, const AllocationProfile& site,
                   const ScriptContext& context) {
  (has_own_load_task(site) ? two_task_lines : one_task_lines)(lines, point, site, context);
}

/// A stream: the consumer, which writes the record, and beside it the producer; on two tasks, which
/// may be on two nodes, the producer has the first. Both go on where an earlier attempt ended.
void stream_lines(Lines& lines, const Point& point, const AllocationProfile& site,
                  const ScriptContext& context) {
  if (run::tasks_of(site.asks) == 1) {
    lines.raw("beside=()");
    launch_lines(lines, site, context);
  } else {
    two_launch_lines(lines, site, context, "beside");
  }
  lines.raw("work=$out/work/$point\nmkdir -p \"$work/stream\"");
  const auto trainer = program_of(site, context);
  background(lines,
             beside_words +
                 wrapped(program_beside_trainer(trainer, "epochcast-stream"), site, context, {}),
             producer_words(point));
  lines.raw("producer=$!");
  auto consumer = place_words(site, context);
  consumer.insert(consumer.begin(), "stream");
  consumer.emplace_back(R"(--work="$out/work")");
  append(consumer, consumer_words(point));
  background(lines, launch_words + wrapped(trainer, site, context, {}), consumer);
  lines.raw("pid=$!\nepochcast_watch_producer");
}

/// A service with a task of its own drains, and the script waits for it; the token goes.
void service_end(Lines& lines, const AllocationProfile& site) {
  if (has_own_load_task(site)) {
    lines.raw("epochcast_stop_service");
  }
  lines.raw("rm -f \"$work/token\"");
}

/// The lines that start a task, and those after its end.
struct TaskLines {
  void (*start)(Lines&, const Point&, const AllocationProfile&, const ScriptContext&);
  void (*end)(Lines&, const AllocationProfile&);
};

const TaskLines& task_lines(run::Task task) {
  constexpr auto nothing = [](Lines&, const AllocationProfile&) {};
  constexpr auto stream_end = [](Lines& lines, const AllocationProfile&) {
    lines.raw("epochcast_stop_producer");
  };
  static const std::map<run::Task, TaskLines> all{{run::Task::train, {program_lines, nothing}},
                                                  {run::Task::infer, {program_lines, nothing}},
                                                  {run::Task::serve, {service_lines, service_end}},
                                                  {run::Task::stream, {stream_lines, stream_end}},
                                                  {run::Task::command, {program_lines, nothing}}};
  return all.at(task);
}

void run_lines(Lines& lines, const Point& point, const AllocationProfile& site,
               const ScriptContext& context) {
  lines.raw("epochcast_begin");
  const auto& task = task_lines(task_of(point));
  task.start(lines, point, site, context);
  lines.raw("epochcast_wait");
  task.end(lines, site);
  if (site.retry.submits() && context.slurm) {
    lines.add("epochcast_retry {}", jobs_program(context));
  }
  if (!context.then.empty()) {
    lines.add("epochcast_then {}", context.then);
  } else if (site.notify != Notify{} && context.slurm) {
    lines.add("epochcast_notify {}", jobs_program(context));
  }
  lines.raw("exit \"$rc\" # 0: done; 75: stopped at the limit with a partial result; else: failed");
}

/// env/Containerfile and env/epochcast.def put the programs into PATH.
const std::string trainer_in_image = "epochcast-train";

}  // namespace

std::string program_of(const AllocationProfile& site, const ScriptContext& context) {
  const auto& without = site.container.is_used() ? trainer_in_image : context.trainer;
  const auto& trainer = site.launch.trainer.empty() ? without : site.launch.trainer;
  return context.wraps_command ? program_beside_trainer(trainer, "epochcast-run") : trainer;
}

std::string program_beside_trainer(const std::string& trainer, std::string_view name) {
  return std::filesystem::path(trainer).replace_filename(name).string();
}

std::string missing_program(const AllocationProfile& site, const ScriptContext& context) {
  const auto wrapper =
      site.launch_prefix.empty() ? container_program(site.container) : site.launch_prefix.front();
  if (!wrapper.empty()) {
    return process::is_executable(wrapper) ? "" : wrapper;
  }
  if (site.container.is_used()) {
    return "";  // srun starts the container
  }
  std::vector<std::string> programs{program_of(site, context)};
  for (const auto& name : context.helper_programs) {
    programs.push_back(program_beside_trainer(programs.front(), name));
  }
  for (const auto& program : programs) {
    if (!process::is_executable(program)) {
      return program;
    }
  }
  return "";
}

Retry retry_of(run::Task task, const AllocationProfile& site, const ScriptContext& context) {
  auto retry = site.retry;
  if (!run::task_row(task).has_epochs && !(task == run::Task::command && context.resumes)) {
    retry.rule("timeout") = {};
  }
  return retry;
}

std::string script_text(const Point& point, const AllocationProfile& profile,
                        const ScriptContext& context) {
  auto site = profile;
  site.retry = context.then.empty() ? retry_of(task_of(point), profile, context) : Retry{};
  Lines lines;
  lines.raw("#!/bin/bash");
  if (context.slurm) {
    add_sbatch_header(lines, site, context.out, point.id, "%x-%j.out");
  }
  lines.add("# Made by epochcast-jobs: one point of an experiment on one allocation.");
  lines.raw("set -u");
  claim_lines(lines, point, site, context);
  environment_lines(lines, point, site);
  setup_lines(lines, site);
  job_lines(lines, site, context);
  run_lines(lines, point, site, context);
  return std::move(lines).text();
}

std::string array_script_text(const AllocationProfile& profile, const ScriptContext& context,
                              const std::string& table) {
  auto site = profile;
  site.retry = retry_of(run::Task::train, profile, context);
  Lines lines;
  lines.raw("#!/bin/bash");
  add_sbatch_header(lines, site, context.out, "epochcast." + site.name, "%A_%a.out");
  lines.add("# Made by epochcast-jobs: element i runs the point on line i + 1 of the table.");
  lines.raw("set -u");
  lines.add("point=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" {})", shell_quote(table));
  lines.add("exec bash {}\"/scripts/${{point:?}}.sbatch\"", shell_quote(context.out));
  return std::move(lines).text();
}

}  // namespace epochcast::jobs
