// epochcast-load: applies a load to a service and writes the record of the run.
#include <fmt/format.h>

#include <cstdlib>

#include "src/base/cli/selected_options.hpp"
#include "src/base/cli/subcommand.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "src/measure/attempt/machine.hpp"
#include "src/measure/attempt/start.hpp"
#include "src/record/run/parameter.hpp"
#include "src/serving/http/address.hpp"
#include "src/serving/load/attempt.hpp"
#include "src/serving/load/mix.hpp"
#include "src/serving/load/stages.hpp"

namespace epochcast::load {
namespace {

cli::CommandSpec command_spec() {
  cli::CommandSpec spec{
      .usage = "epochcast-load [options] [-- COMMAND...]",
      .summary =
          "Sends requests to a service and writes a record of what came back: latencies, "
          "throughput, failures. With COMMAND it starts the service, waits until it is ready, and "
          "stops it with SIGTERM at the end.",
      .example = "epochcast-load --url http://127.0.0.1:8000 --stages 10/s:30s,20/s:30s",
      .options = {},
      .positional = "COMMAND..."};
  const auto append = [&](const std::vector<cli::Option>& options) {
    spec.options.insert(spec.options.end(), options.begin(), options.end());
  };
  append(cli::options_of_fields<TargetOptions>());
  append(cli::options_of_fields<run::LoadOptions>());
  append(cli::selected_options<run::RunOutput>(
      {"point", "experiment", "allocation", "records", "telemetry", "flush-interval"}));
  spec.options.push_back({.name = "parameter",
                          .value = "NAME=VALUE",
                          .meaning = "Record this parameter of the run, such as serve.batch=32",
                          .repeated = true});
  return spec;
}

run::Parameters load_parameters(const cli::Arguments& arguments, const run::LoadOptions& options) {
  run::Parameters parameters{{"task", std::string(to_text(run::Task::serve)), "text", "1"}};
  const auto given = run::given_parameters(arguments.all("parameter"));
  parameters.insert(parameters.end(), given.begin(), given.end());
  for_each_field<run::LoadOptions>([&](const auto& field) {
    const auto& value = options.*field.member;
    parameters.push_back({"load." + std::string(field.name), to_text(value),
                          std::string(type_name(value)), std::string(field.unit)});
  });
  if (!arguments.positional().empty()) {
    parameters.push_back(run::command_parameter(arguments.positional()));
  }
  return parameters;
}

/// Whether the service computes on a GPU, as far as is known here.
bool is_on_gpu(const run::Parameters& parameters, const slurm::Environment& environment) {
  const auto device = run::value_of_parameter(parameters, "device");
  return device.empty() ? !slurm::visible_gpus(environment).empty() : device == "cuda";
}

/// Calls `action`; an Error of it names the option.
template <class Action>
void check_option(std::string_view option, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", option, error.what()));
  }
}

void check(const TargetOptions& target, const std::vector<std::string>& command) {
  if (target.url.empty() == target.address_file.empty()) {
    throw Error(target.url.empty() ? "no service given; expected --url or --address-file"
                                   : "--url and --address-file: expected only one of them");
  }
  if (!command.empty() && command.front().starts_with('-')) {
    throw Error(fmt::format("found '{}' as COMMAND, expected a program", command.front()));
  }
  if (!target.url.empty()) {
    check_option("--url", [&] { (void)http::parse_url(target.url); });
  }
}

/// What would otherwise be found out when the service has started.
void check(const run::LoadOptions& options) {
  check_option("--stages", [&] { parse_stages(options.stages, options.arrivals); });
  if (options.mix != "study") {
    check_option("--mix", [&] { Mix(options, [](const std::string& body) { return body; }); });
  }
}

/// Of the file, else of the environment; never of the command line, which others may read.
std::string token_of(const TargetOptions& target) {
  if (!target.token_file.empty()) {
    return std::string(trim(read_file(target.token_file)));
  }
  const char* token = std::getenv("EPOCHCAST_TOKEN");
  return token == nullptr ? "" : token;
}

int run(const std::vector<std::string>& words) {
  const SteadyClock clock;
  const process::HeldSignals signals = hold_signals();
  const cli::CommandSpec spec = command_spec();
  if (cli::print_about({.name = "epochcast-load", .summary = spec.summary, .spec = spec}, words)) {
    return exit_done;
  }
  const cli::Arguments arguments = cli::parse_command_line(spec, words);
  if (arguments.has("help")) {
    fmt::print("{}", cli::help_text(spec));
    return exit_done;
  }
  LoadAttempt attempt{.command = arguments.positional(), .target = {}, .output = {}, .start = {}};
  cli::set_fields_from(attempt.target, arguments);
  cli::set_fields_from(attempt.options, arguments);
  cli::set_fields_from(attempt.output, arguments);
  check(attempt.target, attempt.command);
  check(attempt.options);
  attempt.token = token_of(attempt.target);
  const run::Parameters parameters = load_parameters(arguments, attempt.options);
  if (attempt.output.point.empty()) {
    attempt.output.point = "load-" + run::short_hash(parameters);
  }
  const slurm::Environment environment = slurm::current_environment();
  const auto job = slurm::read_job_environment(environment);
  attempt.start =
      attempt::start_record({.rank = 0,
                             .parameters = parameters,
                             .on_gpu = is_on_gpu(parameters, environment),
                             .output = attempt.output,
                             .environment = environment,
                             .threads = attempt::threads_to_use(
                                 0, job.cpus_per_task, std::ssize(process::allowed_cpus())),
                             .libraries = ""});
  attempt.gpus = split(slurm::visible_gpus(environment), ',');
  return run_load_attempt(attempt, clock, signals);
}

}  // namespace
}  // namespace epochcast::load

int main(int argc, char** argv) {
  return epochcast::run_program("epochcast-load", [&] {
    return epochcast::load::run({argv + 1, argv + argc});
  });
}
