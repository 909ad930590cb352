// A network that answers single texts or pictures, for a service and for a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/base/cli/command_line.hpp"
#include "src/record/run/run_config.hpp"
#include "src/training/loop/predictor.hpp"

namespace epochcast::libtorch {

struct OpenedPredictor {
  std::unique_ptr<serve::Predictor> predictor;
  std::vector<std::string> notes;  ///< For the user: which weights are used, and how.
};

/// Equal for settings that give the same answers, to rounding: the SHA-256 of the files that they
/// name, wherever these lie, and all other parameters. `config` is from complete_for_answers().
/// Throws Error if a file cannot be read.
std::string digest_of_model(run::RunConfig config);

/// `config` with all options of model and data set, for task infer. An empty data set: one that
/// fits the model. Without `model.length`, texts may be as long as the network can take. Throws
/// Error as resolve_defaults(), and if the model does not distinguish classes of texts or pictures.
run::RunConfig complete_for_answers(run::RunConfig config);

/// Opens model, weights, precision, device and seed of `config`; for texts also the tokenizer that
/// its data set's options name, for example `dataset.vocabulary`. The data set itself is not read.
/// Longer texts than the model takes are cut at the end. The labels are those of config.json in the
/// folder of the weights, else those of the data set, else the numbers of the classes.
///
/// Throws Error as complete_for_answers(), and if weights, vocabulary or labels do not fit the
/// model; RunError as open_device().
OpenedPredictor open_predictor(const run::RunConfig& config, int threads);

/// --model, --dataset, --weights, --precision, --procedure, --device, --seed and --threads, with
/// the meaning that they have for a run.
std::vector<cli::Option> predictor_options();

struct PredictorSettings {
  run::RunConfig config;  ///< From complete_for_answers().
  std::int64_t threads = 1;
};

/// What they give. Makes this process see its GPU, if it is to use one: call it before anything
/// else uses LibTorch. Throws Error for unknown names and values that are not allowed.
PredictorSettings read_predictor_settings(const cli::Arguments& arguments);

/// Opens the network, and reports the notes on stderr.
OpenedPredictor open_predictor(const PredictorSettings& settings);

}  // namespace epochcast::libtorch
