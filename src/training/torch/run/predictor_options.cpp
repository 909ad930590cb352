#include "src/training/torch/run/predictor_options.hpp"

#include <cstdlib>
#include <set>
#include <utility>

#include "src/base/cli/report.hpp"
#include "src/measure/attempt/machine.hpp"
#include "src/measure/attempt/place.hpp"
#include "src/training/torch/network/about.hpp"
#include "src/training/torch/parallel/join.hpp"

namespace epochcast::libtorch {
namespace {

/// The fields of a run on which answers, and where they are computed, depend.
const std::set<std::string> fields_of_answers{"model",     "dataset", "weights", "precision",
                                              "procedure", "device",  "seed"};

run::RunConfig default_predictor() {
  run::RunConfig config;
  config.task = run::Task::infer;
  config.model = "distilbert";
  config.dataset = "";
  return config;
}

}  // namespace

std::vector<cli::Option> predictor_options() {
  auto options = cli::options_of_fields<run::RunConfig>();
  std::erase_if(options,
                [](const auto& option) { return !fields_of_answers.contains(option.name); });
  for (auto& option : options) {
    if (option.name == "model") {
      option.default_value = default_predictor().model;
    } else if (option.name == "dataset") {
      option.default_value = default_predictor().dataset;
      option.meaning =
          "Data set that names the tokenizer of texts and the classes; it is not read (empty: "
          "text_csv or images, whose classes are numbers)";
    }
  }
  auto threads = cli::options_of_fields<run::RunOutput>();
  std::erase_if(threads, [](const auto& option) { return option.name != "threads"; });
  options.insert(options.end(), threads.begin(), threads.end());
  return options;
}

PredictorSettings read_predictor_settings(const cli::Arguments& arguments) {
  auto config = default_predictor();
  cli::set_fields_from(config, arguments);
  config.batch = default_predictor().batch;  // --batch of a service is not that of a run
  for (const auto& [name, value] : arguments.open()) {
    run::set_field(config, name, value);
  }
  run::RunOutput output;
  cli::set_fields_from(output, arguments);
  const auto environment = slurm::current_environment();
  if (config.device == "cuda") {
    // the order of NVML, so that the GPU in use is the one that other tools name
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
    choose_gpu(ranks::read_rank_place(environment), environment);
    load_cuda();
  }
  return {complete_for_answers(std::move(config)),
          train::threads_to_use(output.threads, environment)};
}

OpenedPredictor open_predictor(const PredictorSettings& settings) {
  auto opened = open_predictor(settings.config, static_cast<int>(settings.threads));
  for (const auto& note : opened.notes) {
    cli::report(note);
  }
  return opened;
}

}  // namespace epochcast::libtorch
