// epochcast-train: the command line of the trainer.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

#include "src/base/cli/subcommand.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/attempt/machine.hpp"
#include "src/measure/attempt/start.hpp"
#include "src/programs/train/commands.hpp"
#include "src/training/loop/attempt.hpp"
#include "src/training/loop/progress.hpp"
#include "src/training/loop/published_log.hpp"
#include "src/training/torch/network/about.hpp"
#include "src/training/torch/parallel/join.hpp"
#include "src/training/torch/profile/measure_device.hpp"
#include "src/training/torch/profile/step_profiler.hpp"
#include "src/training/torch/run/list.hpp"
#include "src/training/torch/run/workload.hpp"

namespace epochcast::libtorch {
namespace {

cli::CommandSpec train_spec() {
  cli::CommandSpec spec{
      .usage =
          "epochcast-train [train] [options] [--model.OPTION=VALUE] [--dataset.OPTION=VALUE] "
          "[--optimizer.OPTION=VALUE]",
      .summary = "Trains one point and writes its record",
      .example = "epochcast-train --dataset=images --dataset.path=/data/pokemon --epochs=2",
      .options = cli::options_of_fields<run::RunConfig>(),
      .open_prefixes = run::option_prefixes()};
  const auto output = cli::options_of_fields<run::RunOutput>();
  spec.options.insert(spec.options.end(), output.begin(), output.end());
  const auto limit = cli::options_of_fields<attempt::LimitOptions>();
  spec.options.insert(spec.options.end(), limit.begin(), limit.end());
  return spec;
}

/// The configuration from the arguments, checked against model and data set.
run::RunConfig read_config(const cli::Arguments& arguments) {
  run::RunConfig config;
  cli::set_fields_from(config, arguments);
  for (const auto& [name, value] : arguments.open()) {
    run::set_field(config, name, value);
  }
  return resolve_defaults(config);
}

/// As run_attempt. If one of several ranks fails the process ends here, because closing the
/// connections between them may never return.
int run_rank(const train::Attempt& attempt, const attempt::RankPlace& place, const Clock& clock,
             const attempt::StopFlag& stop) {
  if (place.size == 1) {
    return train::run_attempt(attempt, clock, stop);
  }
  const int status = run_program("epochcast-train", [&]() -> int {
    try {
      return train::run_attempt(attempt, clock, stop);
    } catch (const ranks::ReportedByPeer& failure) {
      return failure.status();
    }
  });
  std::fflush(nullptr);
  std::cout << std::flush;
  if (status == exit_failed || status == exit_bad_input) {
    _exit(status);
  }
  return status;
}

int train_point(const run::RunConfig& config, const run::RunOutput& output,
                const attempt::LimitOptions& limit) {
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID",
         0);  // the order of NVML, so that the record names the GPU in use
  if (config.deterministic) {
    setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);  // without it cuBLAS may sum in any order
  }
  const auto& stop = attempt::install_stop_signals();
  const auto place = attempt::read_rank_place(slurm::current_environment());
  if (config.device == "cuda") {
    choose_gpu(place, slurm::current_environment());
    load_cuda();
  }
  const auto environment = slurm::current_environment();
  const auto threads = attempt::threads_to_use(output.threads, environment);
  const SteadyClock clock;
  const bool prints_published_log =
      config.procedure == "reference" && config.task == run::Task::train;
  const auto log =
      !prints_published_log
          ? nullptr
          : train::published_log({.out = std::cout,
                                  .config = config,
                                  .input = input_shape(config),
                                  .clock = clock,
                                  .folder = std::filesystem::path(output.work) / output.point,
                                  .processes = place.size,
                                  .program = program_of(config)});
  train::Attempt attempt{.config = config,
                         .output = output,
                         .rank = place.rank,
                         .start = attempt::start_record({.rank = place.rank,
                                                         .parameters = run::to_parameters(config),
                                                         .on_gpu = config.device == "cuda",
                                                         .output = output,
                                                         .environment = environment,
                                                         .threads = threads,
                                                         .libraries = library_versions()}),
                         .join = [&] { return join_ranks(place, config, output, stop); },
                         .make_workload =
                             [&](train::Team& team) {
                               return make_workload(config, output, static_cast<int>(threads),
                                                    &team);
                             }};
  attempt.job = {limit, attempt::job_end_s(attempt.start, environment, clock.now_s())};
  train::Progress progress(std::cerr, train::progress_style_of_stderr(), config, clock,
                           log == nullptr ? "" : "epochcast: ", attempt.job.end_s);
  if (place.is_first()) {
    attempt.observers.push_back(&progress);
  }
  std::optional<StepProfiler> profiler;
  if (place.is_first() && config.profile > 0) {
    attempt.observers.push_back(
        &profiler.emplace(config, std::filesystem::path(output.work) / output.point));
  }
  if (place.is_first() && log != nullptr) {
    attempt.observers.push_back(log.get());
  }
  return run_rank(attempt, place, clock, stop);
}

/// Tasks serve and stream are commands of their own.
void require_training(const run::RunConfig& config) {
  if (!run::task_row(config.task).has_epochs) {
    throw Error(
        fmt::format("--task: found '{0}', expected train or infer; use 'epochcast-train {0}'",
                    to_text(config.task)));
  }
  run::require_options_of_task(config);
}

int train_command(const cli::Arguments& arguments) {
  const auto config = read_config(arguments);
  require_training(config);
  run::RunOutput output;
  cli::set_fields_from(output, arguments);
  if (output.point.empty()) {
    output.point = attempt::default_point(config);
  }
  attempt::LimitOptions limit;
  cli::set_fields_from(limit, arguments);
  return train_point(config, output, limit);
}

cli::CommandSpec list_spec() {
  return {.usage = "epochcast-train list [NAME...] [--json]",
          .summary = "Prints the models, data sets and optimizers, or the options of NAME",
          .example = "epochcast-train list mlp sst2 adamw",
          .options = {{"json", "", "Print all of them with their options as JSON"}},
          .positional = "NAME..."};
}

int list_command(const cli::Arguments& arguments) {
  const auto& names = arguments.positional();
  if (arguments.has("json") || names.empty()) {
    std::cout << (arguments.has("json") ? model_list_json() : model_list_text());
  } else {
    for (const auto& name : names) {
      std::cout << (&name == names.data() ? "" : "\n") << model_help(name);
    }
  }
  std::cout << std::flush;
  return exit_done;
}

cli::CommandSpec describe_spec() {
  return {.usage = "epochcast-train describe [--model NAME] [--model.OPTION=VALUE]",
          .summary = "Prints the parameters and FLOPs of a model without training it",
          .example = "epochcast-train describe --model=dcgan --procedure=reference",
          .options = cli::options_of_fields<run::RunConfig>(),
          .open_prefixes = run::option_prefixes()};
}

int describe_command(const cli::Arguments& arguments) {
  auto config = read_config(arguments);
  config.dataset = "synthetic";  // the counts do not depend on the data
  config.dataset_options = {{"samples", "1"}};
  config.last_batch = "keep";
  const auto work = make_workload(resolve_defaults(config), {}, 1)->describe();
  std::vector<std::string> sizes;
  for (const auto size : input_shape(config)) {
    sizes.push_back(std::to_string(size));
  }
  fmt::print("{:<18} {}\n{:<18} {}\n", "model", config.model, "input", join(sizes, " x "));
  fmt::print("{:<18} {}\n", "parameters", work.parameter_count);
  fmt::print("{:<18} {:.4g}\n{:<18} {:.4g}\n", "FLOP per sample", work.flops_per_sample,
             "bytes per sample", work.bytes_per_sample);
  fmt::print("{:<18} {}\n", "precision", work.precision.view());
  return exit_done;
}

cli::CommandSpec measure_device_spec() {
  cli::CommandSpec spec{
      .usage = "epochcast-train measure-device [--device cpu|cuda] [-o FILE]",
      .summary = "Measures the rates of a device and writes them as a file of the device database",
      .example = "epochcast-train measure-device --device=cuda -o mycard.yaml",
      .options = cli::options_of_fields<MeasureOptions>()};
  spec.options.push_back({"output,o", "FILE", "Write to FILE instead of stdout"});
  return spec;
}

int measure_device_command(const cli::Arguments& arguments) {
  MeasureOptions options;
  cli::set_fields_from(options, arguments);
  options.threads = attempt::threads_to_use(options.threads, slurm::current_environment());
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID",
         0);  // the order of NVML, so that the result names the GPU in use
  const auto measured = measure_device(options);
  if (const auto& unchecked = device::unchecked_figures(measured); !unchecked.empty()) {
    fmt::print(
        stderr,
        "epochcast-train: the machine is busy, so the measured rates are too low; they are marked "
        "'checked: false'\n");
  }
  const auto text = device::device_yaml(measured, measured.label + ", as measured");
  if (!arguments.has("output")) {
    std::cout << text << std::flush;
    return exit_done;
  }
  write_file(arguments.get("output"), text);
  return exit_done;
}

int run(const std::vector<std::string>& words) {
  return cli::run_subcommand(
      {.name = "epochcast-train",
       .summary = "Trains neural networks and records the time of every step.",
       .commands = {{"train", train_spec(), train_command},
                    {"list", list_spec(), list_command},
                    {"describe", describe_spec(), describe_command},
                    {"serve", serve_spec(), serve_command},
                    {"stream", stream_spec(), stream_command},
                    {"measure-device", measure_device_spec(), measure_device_command}},
       .default_command = "train",
       .libraries = version_line,
       .reference = {{"options", options_page}},
       .settings = cli::options_of_fields<run::RunConfig>()},
      words);
}

}  // namespace
}  // namespace epochcast::libtorch

int main(int argc, char** argv) {
  return epochcast::run_program("epochcast-train", [&] {
    return epochcast::libtorch::run({argv + 1, argv + argc});
  });
}
