// What the commands that answer with a network have in common: which network, and where it runs.
#pragma once

#include <string>
#include <vector>

#include "src/cli/command_line.hpp"
#include "src/torch/run/predictor.hpp"

namespace epochcast::libtorch {

/// --model, --dataset, --weights, --precision, --procedure, --device, --seed and --threads, with the
/// meaning that they have for a run.
std::vector<cli::Option> predictor_options();

/// The configuration that they give, on which open_predictor() opens a network. Its task is infer.
run::RunConfig read_predictor_config(const cli::Arguments& arguments);

/// Opens the network of `arguments` on its device, and reports the notes on stderr. Call it before
/// anything else uses LibTorch.
OpenedPredictor open_predictor(const cli::Arguments& arguments);

}  // namespace epochcast::libtorch
