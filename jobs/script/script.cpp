#include "jobs/script/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "jobs/script/container_words.hpp"
#include "jobs/script/program_words.hpp"
#include "jobs/script/sbatch_header.hpp"
#include "jobs/script/service_words.hpp"
#include "src/base/cli/command_line.hpp"
#include "src/base/core/command_words.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"
#include "src/base/process/launch.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::jobs {
namespace {

/// A point belongs to one attempt. The claim is made with O_EXCL (noclobber) and contains the job;
/// a requeued job has the same id and keeps the point.
void claim_lines(Lines& lines, const Point& point, const AllocationProfile& site,
                 const ScriptContext& context) {
  lines.add("out={}", shell_quote(context.out));
  lines.add("point={}", shell_quote(point.id));
  lines.raw(
      R"(job=${SLURM_JOB_ID:-${EPOCHCAST_JOB_ID:?not a job: submit this with sbatch, or use epochcast-jobs run}}
claim=$out/claims/$point
# The first job to claim a point runs it. A requeued job keeps its id, and so its claim.
if ! (set -o noclobber && printf '%s\n' "$job" >"$claim") 2>/dev/null; then
  owner=$(cat "$claim" 2>/dev/null)
  if [ -z "$owner" ]; then
    echo "epochcast: cannot claim $point: $claim cannot be written" >&2
    exit 1
  elif [ "$owner" != "$job" ]; then
    echo "epochcast: $point is claimed by job $owner; nothing to do" >&2
    exit 0
  fi
fi)");
  if (site.retry.requeues() && context.slurm) {
    lines.add(R"sh(attempts=("$out/records/$point"-[0-9]*.jsonl)
if [ -n "${{SLURM_RESTART_COUNT:-}}" ] && [ "${{#attempts[@]}}" -ge {} ]; then
  echo "epochcast: $point had ${{#attempts[@]}} attempts; no further one" >&2
  exit 1
fi)sh",
              site.retry.attempts);
  }
  if (run::task_row(task_of(point)).has_epochs || resumes(point)) {
    lines.raw(R"(resume=false # resubmit makes the .resume file if the checkpoint is to be used
if [ -n "${SLURM_RESTART_COUNT:-}" ] || [ -e "$claim.resume" ]; then
  resume=true
fi)");
  }
  lines.raw("");
}

bool uses_modules(const AllocationProfile& site) {
  const auto calls_module = [](const std::string& line) { return line.starts_with("module "); };
  return !site.modules.empty() || std::any_of(site.setup.begin(), site.setup.end(), calls_module);
}

void setup_lines(Lines& lines, const AllocationProfile& site) {
  if (uses_modules(site)) {
    lines.raw(R"(set +u # module systems and site setup read unset variables
if ! command -v module >/dev/null; then
  for init in "${LMOD_PKG:-/usr/share/lmod/lmod}/init/bash" "${MODULESHOME:-/usr/share/modules}/init/bash" /etc/profile.d/modules.sh; do
    # shellcheck source=/dev/null
    [ ! -r "$init" ] || { . "$init" && break; }
  done
fi)");
  } else if (!site.setup.empty()) {
    lines.raw("set +u # site setup reads unset variables");
  }
  for (const auto& module : site.modules) {
    lines.add("module load {} || exit 1", shell_quote(module));
  }
  for (const auto& line : site.setup) {
    lines.raw(line);
  }
  if (uses_modules(site)) {
    lines.raw("module list 2>&1");
  }
  if (uses_modules(site) || !site.setup.empty()) {
    lines.raw("set -u\n");
  }
}

/// Threads of Epochcast's own programs: they do not depend on the environment of the user who
/// submits. Those of other programs belong to the user, and have a default only.
std::string thread_lines(const Point& point) {
  if (!point.program.is_given()) {
    return R"(# OMP_PROC_BIND would pin the decoder threads to the main thread's CPU.
unset OMP_PROC_BIND OMP_PLACES OMP_DYNAMIC OMP_WAIT_POLICY GOMP_CPU_AFFINITY KMP_AFFINITY KMP_BLOCKTIME MKL_DYNAMIC
unset NVIDIA_TF32_OVERRIDE TORCH_ALLOW_TF32_CUBLAS_OVERRIDE CUDA_LAUNCH_BLOCKING PYTORCH_CUDA_ALLOC_CONF
unset PYTORCH_ALLOC_CONF CUBLAS_WORKSPACE_CONFIG "${!TORCH_CUDNN_@}" "${!TORCH_NCCL_@}"
export OMP_NUM_THREADS="${SLURM_CPUS_PER_TASK:?}" MKL_NUM_THREADS="$SLURM_CPUS_PER_TASK"
export OPENBLAS_NUM_THREADS="$SLURM_CPUS_PER_TASK")";
  }
  return starts_several(point.program.command)
             ? "# The command starts several processes, and sets OMP_NUM_THREADS for each."
             : "# A default: what you set, here or in the profile's setup, counts.\n"
               R"(export OMP_NUM_THREADS="${OMP_NUM_THREADS:-${SLURM_CPUS_PER_TASK:?}}")";
}

/// Variables that the modules and the setup lines of the site, which follow, may set otherwise.
void environment_lines(Lines& lines, const Point& point, const AllocationProfile& site) {
  lines.raw(thread_lines(point));
  if (run::gpus_of(site.asks) > 0) {
    lines.raw(point.program.is_given()
                  ? R"(export CUDA_DEVICE_ORDER="${CUDA_DEVICE_ORDER:-PCI_BUS_ID}")"
                  : "export CUDA_DEVICE_ORDER=PCI_BUS_ID");
    if (run::tasks_of(site.asks) > 1 && !point.program.is_given()) {
      lines.raw("export SLURM_GPU_BIND=none # NCCL connects GPUs of a node that each rank can see");
    }
  }
  if (!site.launch.hdf5_locking.empty()) {
    lines.add("export HDF5_USE_FILE_LOCKING={}", site.launch.hdf5_locking);
  }
  lines.raw("");
}

/// What the programs of Epochcast are told about the job.
void job_lines(Lines& lines, const AllocationProfile& site, const ScriptContext& context) {
  if (!site.launch.torch.empty()) {
    lines.add("export EPOCHCAST_TORCH={}", shell_quote(site.launch.torch));
  }
  lines.add("export EPOCHCAST_ASKED={}", shell_quote(run::pack(site.asks)));
  if (context.slurm && !memory_option(site, site.asks.memory).empty()) {
    lines.raw("# submit writes this file where it asked for other memory than #SBATCH does.");
    lines.raw(
        R"sh([ ! -s "$claim.memory" ] || EPOCHCAST_ASKED+=";memory=$(cat "$claim.memory")")sh");
  }
  if (site.prices != run::Prices{}) {
    lines.add("export EPOCHCAST_PRICES={}", shell_quote(run::pack(site.prices)));
  }
  if (site.container.is_used() || !site.launch_prefix.empty()) {
    lines.raw(R"(# An image may lack scontrol, so the record gets its answer from here.
EPOCHCAST_JOB_INFO=
if [ -n "${SLURM_JOB_ID:-}" ]; then
  EPOCHCAST_JOB_INFO=$(SLURM_TIME_FORMAT=%Y-%m-%dT%H:%M:%S%z scontrol show job -d "$SLURM_JOB_ID" 2>/dev/null)
fi
export EPOCHCAST_JOB_INFO)");
  }
  lines.raw("");
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

bool is_launched(const AllocationProfile& site, const ScriptContext& context) {
  return context.slurm || run::tasks_of(site.asks) > 1;
}

/// The launcher of the tasks: srun in a job of Slurm, otherwise `epochcast-jobs launch` if there
/// are several. With several ranks srun waits before it kills the others, so that they can record
/// why a rank is gone.
void launch_lines(Lines& lines, const AllocationProfile& site, const ScriptContext& context) {
  const auto tasks = run::tasks_of(site.asks);
  if (!is_launched(site, context)) {
    return;
  }
  const auto here =
      tasks == 1
          ? std::string()
          : fmt::format("{} launch --tasks={} --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" --",
                        shell_quote(program_beside_trainer(context.trainer, "epochcast-jobs")),
                        tasks);
  lines.add("launch=({})", here);
  if (context.slurm) {
    lines.raw(R"(if [ -n "${SLURM_JOB_ID:-}" ]; then)");
    const auto ending = tasks == 1 ? std::string("--kill-on-bad-exit=1")
                                   : fmt::format("--kill-on-bad-exit=0 --wait={:.0f}",
                                                 process::LaunchRequest{}.patience.value);
    auto options = ending;
    for (const auto& option : container_srun_options(site, context.out)) {
      options += " " + shell_quote(option);
    }
    lines.add(
        "  launch=(srun --ntasks={} --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" --cpu-bind=verbose "
        "{})",
        tasks, options);
    lines.raw("fi");
  }
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

/// A command in the background, one argument a line.
void background(Lines& lines, std::string command, const std::vector<std::string>& arguments) {
  for (const auto& word : arguments) {
    command += " \\\n  " + word;
  }
  lines.raw(command + " &");
}

/// The trainer, or a program of the user's.
void program_lines(Lines& lines, const Point& point, const AllocationProfile& site,
                   const ScriptContext& context) {
  launch_lines(lines, site, context);
  const auto program = point.program.is_given() ? program_in(point, context.out) : Program{};
  lines.text_of(program_preparation(point, program));
  const auto launch = is_launched(site, context) ? R"(${launch[@]+"${launch[@]}"} )" : "";
  background(lines,
             environment_prefix(program) + launch +
                 wrapped(program_of(site, context), site, context, names_of_environment(program)),
             argument_words(point, site, context, program));
  lines.raw("pid=$!");
}

/// A service and its load in one task: the load starts the service and stops it.
void one_task_lines(Lines& lines, const Point& point, const AllocationProfile& site,
                    const ScriptContext& context) {
  launch_lines(lines, site, context);
  lines.text_of(service_preparation());
  auto words = place_words(site, context);
  append(words, target_words());
  append(words, load_words(point));
  words.emplace_back("--");
  words.push_back(shell_quote(program_of(site, context)));
  append(words, service_words(point));
  append(words, listen_words(site));
  const auto launch = is_launched(site, context) ? R"(${launch[@]+"${launch[@]}"} )" : "";
  background(lines,
             launch + wrapped(program_beside_trainer(program_of(site, context), "epochcast-load"),
                              site, context, {}),
             words);
  lines.raw("pid=$!");
}

/// A service and its load in a task each, which may be on two nodes.
void two_task_lines(Lines& lines, const Point& point, const AllocationProfile& site,
                    const ScriptContext& context) {
  lines.text_of(step_launchers(
      site, {.slurm = context.slurm, .options = container_srun_options(site, context.out)}));
  lines.text_of(service_preparation());
  auto service = service_words(point);
  append(service, listen_words(site));
  background(
      lines,
      R"(${beside[@]+"${beside[@]}"} )" + wrapped(program_of(site, context), site, context, {}),
      service);
  lines.raw("service=$!\npid=$service");
  lines.text_of(wait_for_service());
  auto load = place_words(site, context);
  append(load, target_words());
  load.emplace_back(R"(${patience[@]+"${patience[@]}"})");
  append(load, load_words(point));
  background(lines,
             R"(${launch[@]+"${launch[@]}"} )" +
                 wrapped(program_beside_trainer(program_of(site, context), "epochcast-load"), site,
                         context, {}),
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
    lines.raw("beside=()\nlaunch=()");
    launch_lines(lines, site, context);
  } else {
    lines.text_of(step_launchers(site, {.slurm = context.slurm,
                                        .gpu_of_launch = true,
                                        .options = container_srun_options(site, context.out)}));
  }
  lines.raw("work=$out/work/$point\nmkdir -p \"$work/stream\"");
  const auto trainer = program_of(site, context);
  background(lines,
             R"(${beside[@]+"${beside[@]}"} )" +
                 wrapped(program_beside_trainer(trainer, "epochcast-stream"), site, context, {}),
             producer_words(point));
  lines.raw("producer=$!");
  auto consumer = place_words(site, context);
  consumer.insert(consumer.begin(), "stream");
  consumer.emplace_back(R"(--work="$out/work")");
  append(consumer, consumer_words(point));
  background(lines, R"(${launch[@]+"${launch[@]}"} )" + wrapped(trainer, site, context, {}),
             consumer);
  lines.raw("pid=$!");
  lines.text_of(watch_producer());
}

/// The lines that start a task, and those after its end.
struct TaskLines {
  void (*start)(Lines&, const Point&, const AllocationProfile&, const ScriptContext&);
  std::string (*end)(const AllocationProfile&);
};

const TaskLines& task_lines(run::Task task) {
  constexpr auto nothing = [](const AllocationProfile&) { return std::string(); };
  static const std::map<run::Task, TaskLines> all{
      {run::Task::train, {program_lines, nothing}},
      {run::Task::infer, {program_lines, nothing}},
      {run::Task::serve, {service_lines, stop_service}},
      {run::Task::stream, {stream_lines, stop_producer}},
      {run::Task::command, {program_lines, nothing}}};
  return all.at(task);
}

/// Waits for the program that "$pid" is; its exit status becomes "$rc".
void wait_lines(Lines& lines) {
  lines.raw(R"(# A trap interrupts wait, so wait again while the trainer runs.
while :; do
  wait "$pid"
  rc=$?
  kill -0 "$pid" 2>/dev/null || break
done
wait "$pid" 2>/dev/null
last=$?
[ "$last" -eq 127 ] || rc=$last)");
}

/// The ending job does what `retry:` says, for every point of the folder.
void retry_lines(Lines& lines, const AllocationProfile& site, const ScriptContext& context) {
  if (!site.retry.submits() || !context.slurm) {
    return;
  }
  lines.raw(
      R"(# retry; the controller may be down for a moment. A job of several points does it for them.
if [ -n "${SLURM_JOB_ID:-}" ] && [ -z "${EPOCHCAST_PACK:-}" ]; then
  for pause in 0 5 20; do
    sleep "$pause")");
  lines.add("    EPOCHCAST_ENDED=\"$job $rc\" {} resubmit \"$out\" --retry && pause= && break",
            shell_quote(program_beside_trainer(context.trainer, "epochcast-jobs")));
  lines.raw(R"(  done
  [ -z "$pause" ] || echo "epochcast: the next job that ends here, or 'epochcast-jobs resubmit --retry', does the rest" >&2
fi)");
}

/// The ending job looks whether the experiment has ended.
void notify_lines(Lines& lines, const AllocationProfile& site, const ScriptContext& context) {
  if (site.notify == Notify{} || !context.slurm || !context.then.empty()) {
    return;
  }
  lines.raw(R"(if [ -n "${SLURM_JOB_ID:-}" ] && [ -z "${EPOCHCAST_PACK:-}" ]; then)");
  lines.add(
      "  EPOCHCAST_ENDED=\"$job $rc\" {} notify \"$out\" # a job of several points does it "
      "once\nfi",
      shell_quote(program_beside_trainer(context.trainer, "epochcast-jobs")));
}

void run_lines(Lines& lines, const Point& point, const AllocationProfile& site,
               const ScriptContext& context) {
  lines.raw(R"sh(echo "epochcast: $point, job $job on $(uname -n), $(date +%FT%T%z)")sh");
  lines.raw("pid=");
  lines.raw(
      "# srun forwards USR1 to the trainer but turns TERM into KILL, so both become USR1: save "
      "and stop.");
  lines.raw(R"(trap '[ -z "$pid" ] || kill -USR1 "$pid"' USR1 TERM)");
  const auto& task = task_lines(task_of(point));
  task.start(lines, point, site, context);
  wait_lines(lines);
  lines.text_of(task.end(site));
  retry_lines(lines, site, context);
  notify_lines(lines, site, context);
  if (!context.then.empty()) {
    lines.raw("# The measurement of a run that stopped early also counts.");
    lines.raw(R"(if [ "$rc" -eq 0 ] || [ "$rc" -eq 75 ]; then)");
    lines.add("  {} || echo \"epochcast: this step failed; the time limits are unchanged\" >&2",
              context.then);
    lines.raw("  rc=0\nfi");
  }
  lines.raw(
      R"(exit "$rc" # 0: done; 75: stopped at the limit with a partial result; else: failed)");
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
  lines.raw("set -u\n");
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
