// What the commands that answer with a network have in common: which network, and where it runs.
#pragma once

#include <string>
#include <vector>

#include "src/base/cli/command_line.hpp"
#include "src/training/torch/run/predictor.hpp"

namespace epochcast::libtorch {

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
