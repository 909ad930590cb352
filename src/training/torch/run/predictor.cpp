#include "src/training/torch/run/predictor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "src/base/cli/report.hpp"
#include "src/base/core/digest.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/registry.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/attempt/machine.hpp"
#include "src/measure/attempt/place.hpp"
#include "src/training/torch/base/device.hpp"
#include "src/training/torch/data/text_dataset.hpp"
#include "src/training/torch/kernels/choice.hpp"
#include "src/training/torch/kernels/onednn.hpp"
#include "src/training/torch/network/about.hpp"
#include "src/training/torch/parallel/join.hpp"
#include "src/training/torch/run/network_predictor.hpp"
#include "src/training/torch/run/open_data.hpp"

namespace epochcast::libtorch {
namespace {

bool answers_texts(const SampleSpec& input) {
  return !input.tokenizer.empty();
}

/// Throws Error unless the model sorts texts or color pictures into classes.
void check_answers(const std::string& model, const SampleSpec& input) {
  if (input.classes == 0) {
    throw Error(fmt::format("model {}: has no classes, expected a classifier", model));
  }
  if (!answers_texts(input) && (input.shape.size() != 3 || input.shape[0] != 3)) {
    throw Error(
        fmt::format("model {}: takes samples of shape {}, expected a model for texts or pictures",
                    model, fmt::join(input.shape, " x ")));
  }
}

std::vector<std::string> class_labels(const run::RunConfig& config, std::int64_t classes) {
  std::string source = "dataset " + config.dataset;
  auto labels = datasets::all().at(config.dataset).labels;
  if (!config.weights.empty()) {
    if (const auto path = weights::find_weight_files(config.weights).config; !path.empty()) {
      if (auto named = weights::hub_labels(path); !named.empty()) {
        labels = std::move(named);
        source = path + ": id2label";
      }
    }
  }
  if (labels.empty()) {
    for (std::int64_t number = 0; number < classes; ++number) {
      labels.push_back(std::to_string(number));
    }
  }
  if (std::ssize(labels) != classes) {
    throw Error(fmt::format("{}: found {} labels, expected {} as the model has classes", source,
                            labels.size(), classes));
  }
  return labels;
}

/// Gives the memory that loading needed back to the system, and keeps what answering needs.
void settle_memory(Procedure procedure) {
  return_freed_memory();
  if (procedure == Procedure::optimized) {
    keep_freed_memory();
  }
}

std::unique_ptr<Network> loaded_network(const run::RunConfig& config, const ModelSpec& model,
                                        const torch::Device& device,
                                        std::vector<std::string>& notes) {
  torch::manual_seed(std::uint64_t(config.seed));
  auto network = model.make({.options = config.model_options,
                             .procedure = procedure_of(config),
                             .device = device,
                             .optimizer = {},
                             .precision = precision_named(config.precision)});
  notes = load_initial_weights(*network, config);
  if (config.weights.empty()) {
    notes.push_back("weights: not given; the answers are those of a network with random weights");
  }
  network->prepare_for_inference();
  return network;
}

std::unique_ptr<text::Tokenizer> tokenizer_of_config(const run::RunConfig& config,
                                                     const SampleSpec& input) {
  return tokenizer_for({.options = config.dataset_options,
                        .input = input,
                        .weights = config.weights,
                        .trains = false});
}

/// `path` itself, or the configuration and the vocabularies in a folder, by name.
std::vector<std::filesystem::path> files_at(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path)) {
    return fs::exists(path) ? std::vector<fs::path>{path} : std::vector<fs::path>{};
  }
  std::vector<fs::path> files;
  for (const auto& entry : entries_of(path)) {
    const auto type = entry.path().extension();
    if (entry.is_regular_file() && (type == ".json" || type == ".txt")) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

void add_digests(std::string& digest, const std::vector<std::filesystem::path>& files) {
  for (const auto& file : files) {
    digest += fmt::format("{} {}\n", file.filename().string(), sha256_of_file(file));
  }
}

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

std::string digest_of_model(run::RunConfig config) {
  std::string digest;
  if (std::filesystem::is_directory(config.weights)) {
    const auto tensors = weights::find_weight_files(config.weights).tensors;
    add_digests(digest, {tensors.begin(), tensors.end()});
  }
  add_digests(digest, files_at(config.weights));
  config.weights.clear();  // where they lie does not matter
  if (auto vocabulary = config.dataset_options.extract("vocabulary")) {
    for (const auto& path : split(vocabulary.mapped(), ':')) {
      const auto files = files_at(path);
      add_digests(digest, files);
      digest += files.empty() ? path + "\n" : "";  // one that is installed with this program
    }
  }
  for (const auto& parameter : run::non_default_parameters(config)) {
    digest += fmt::format("{}={}\n", parameter.name, parameter.value);
  }
  return digest;
}

run::RunConfig complete_for_answers(run::RunConfig config) {
  config.task = run::Task::infer;
  const auto& model = find_entry(models::all(), "model", config.model);
  const auto options =
      run::complete_options(config.model_options, model.options, "model", config.model);
  const auto input = model.input(options);
  check_answers(config.model, input);
  if (answers_texts(input) && !config.model_options.contains("length")) {
    config.model_options["length"] = std::to_string(input.longest);
  }
  if (config.dataset.empty()) {
    config.dataset = answers_texts(input) ? "text_csv" : "images";
  }
  config = resolve_defaults(std::move(config));
  if (answers_texts(input) && !config.dataset_options.contains("vocabulary")) {
    throw Error(
        fmt::format("dataset: found '{}', expected a data set of texts, since model {} reads texts",
                    config.dataset, config.model));
  }
  return config;
}

OpenedPredictor open_predictor(const run::RunConfig& given, int threads) {
  onednn::keep_few_shapes();
  map_large_blocks();
  set_threads(threads);
  use_default_kernels();  // a measurement would delay the answers to the first requests
  const auto config = complete_for_answers(given);
  return guarded([&]() -> OpenedPredictor {
    OpenedPredictor opened;
    const auto& model = models::all().at(config.model);
    AnsweringNetwork answering{.input = model.input(config.model_options),
                               .device = open_device(config.device),
                               .procedure = procedure_of(config),
                               .network = nullptr};
    answering.labels = class_labels(config, answering.input.classes);
    auto tokenizer =
        answers_texts(answering.input) ? tokenizer_of_config(config, answering.input) : nullptr;
    answering.network = loaded_network(config, model, answering.device, opened.notes);
    settle_memory(answering.procedure);
    opened.predictor = tokenizer != nullptr
                           ? make_text_predictor(std::move(answering), std::move(tokenizer))
                           : make_picture_predictor(std::move(answering));
    return opened;
  });
}

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
    choose_gpu(attempt::read_rank_place(environment), environment);
    load_cuda();
  }
  return {complete_for_answers(std::move(config)),
          attempt::threads_to_use(output.threads, environment)};
}

OpenedPredictor open_predictor(const PredictorSettings& settings) {
  auto opened = open_predictor(settings.config, static_cast<int>(settings.threads));
  for (const auto& note : opened.notes) {
    cli::report(note);
  }
  return opened;
}

}  // namespace epochcast::libtorch
