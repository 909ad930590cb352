// epochcast-run: runs any program and writes the same record as the trainer.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/cli/selected_options.hpp"
#include "src/base/cli/subcommand.hpp"
#include "src/base/core/command_words.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/signals.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "src/base/process/own_memory.hpp"
#include "src/measure/attempt/machine.hpp"
#include "src/measure/attempt/start.hpp"
#include "src/measure/progress/reading/format.hpp"
#include "src/record/run/parameter.hpp"
#include "src/runner/attempt.hpp"

namespace epochcast::runner {
namespace {

void name_formats(cli::Option& option) {
  option.choices = {"auto", "none"};
  for (const auto& [name, spec] : progress::formats::all()) {
    option.choices.push_back(name);
  }
  option.meaning += " (" + join(option.choices, "|") + ")";
}

cli::CommandSpec command_spec() {
  cli::CommandSpec spec{
      .usage = "epochcast-run [options] -- COMMAND...",
      .summary =
          "Runs COMMAND, passes its output on, and writes a record: its epochs and metrics, as far "
          "as the output tells them, run time, machine, parameters and how it ended.",
      .example = "epochcast-run -- python3 train.py --epochs 5",
      .options = cli::selected_options<run::RunOutput>(
          {"point", "experiment", "allocation", "records", "work", "telemetry"}),
      .positional = "COMMAND..."};
  for (cli::Option& option : cli::options_of_fields<RunnerOptions>()) {
    if (option.name == "progress") {
      name_formats(option);
    }
    spec.options.push_back(std::move(option));
  }
  const auto limit = cli::options_of_fields<attempt::LimitOptions>();
  spec.options.insert(spec.options.end(), limit.begin(), limit.end());
  spec.options.push_back({.name = "input",
                          .value = "PATH",
                          .meaning = "Must be there before the command starts, or it has failed",
                          .repeated = true});
  spec.options.push_back({.name = "output",
                          .value = "PATH",
                          .meaning = "Must be there when the command has ended, or it has failed",
                          .repeated = true});
  spec.options.push_back({.name = "parameter",
                          .value = "NAME=VALUE",
                          .meaning = "Record this parameter of the run",
                          .repeated = true});
  return spec;
}

run::Parameters command_parameters(const cli::Arguments& arguments) {
  run::Parameters parameters = run::given_parameters(arguments.all("parameter"));
  const bool is_given =  // an experiment gives it with its placeholders
      std::ranges::any_of(parameters, [](const auto& given) { return given.name == "command"; });
  if (!is_given) {
    parameters.push_back(run::command_parameter(arguments.positional()));
  }
  return parameters;
}

/// The id of a point that was started by hand: the name of the script or program and a hash of all
/// parameters.
std::string point_by_hand(const std::vector<std::string>& command,
                          const run::Parameters& parameters) {
  return program_name(command) + "-" + run::short_hash(parameters);
}

void check(const RunnerOptions& options) {
  if (!options.checkpoint_signal.empty() && !signal_number(options.checkpoint_signal)) {
    throw Error(fmt::format("--checkpoint-signal: found '{}', expected a signal such as USR1",
                            options.checkpoint_signal));
  }
  if (!options.folder.empty() && !is_there(options.folder)) {
    throw Error(fmt::format("--folder: there is no folder '{}'", options.folder));
  }
}

int run(const std::vector<std::string>& words) {
  const SteadyClock clock;
  const process::HeldSignals signals = hold_signals();
  const cli::CommandSpec spec = command_spec();
  if (cli::print_about({.name = "epochcast-run", .summary = spec.summary, .spec = spec}, words)) {
    return exit_done;
  }
  const cli::Arguments arguments = cli::parse_command_line(spec, words);
  if (arguments.has("help")) {
    fmt::print("{}", cli::help_text(spec));
    return exit_done;
  }
  CommandAttempt attempt{.command = arguments.positional(), .output = {}, .start = {}};
  if (attempt.command.empty()) {
    throw Error("no command given; expected " + command_spec().usage);
  }
  cli::set_fields_from(attempt.output, arguments);
  cli::set_fields_from(attempt.options, arguments);
  cli::set_fields_from(attempt.limit, arguments);
  attempt.options.inputs = arguments.all("input");
  attempt.options.outputs = arguments.all("output");
  check(attempt.options);
  const run::Parameters parameters = command_parameters(arguments);
  if (attempt.output.point.empty()) {
    attempt.output.point = point_by_hand(attempt.command, parameters);
  }
  const slurm::Environment environment = slurm::current_environment();
  const auto cpus = std::int64_t(process::allowed_cpus().size());
  const auto job = slurm::read_job_environment(environment);
  attempt.rank = rank_in(environment, job.job_id);
  attempt.start =
      attempt::start_record({.rank = attempt.rank.rank,
                             .parameters = parameters,
                             .on_gpu = !slurm::visible_gpus(environment).empty(),
                             .output = attempt.output,
                             .environment = environment,
                             .threads = attempt::threads_to_use(0, job.cpus_per_task, cpus),
                             .libraries = ""});
  attempt.start.header.resumed_from = attempt.options.resumed_from;
  attempt.gpus = split(slurm::visible_gpus(environment), ',');
  process::share_one_heap();
  return run_command_attempt(attempt, clock, signals);
}

}  // namespace
}  // namespace epochcast::runner

int main(int argc, char** argv) {
  return epochcast::run_program("epochcast-run", [&] {
    return epochcast::runner::run({argv + 1, argv + argc});
  });
}
