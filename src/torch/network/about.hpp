// What the command line of the trainer needs from LibTorch before a run. No LibTorch type stands
// here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/run/run_config.hpp"

namespace epochcast::libtorch {

/// `config` with the optimizer and every option of model, data set and optimizer filled in: those
/// of the optimizer that the model was published with are the published ones. Throws Error: unknown
/// model, data set, optimizer or option, or a value that is not allowed.
run::RunConfig resolve_defaults(run::RunConfig config);

/// Shape of one sample of the model of a completed `config`: {3, 64, 64}.
std::vector<std::int64_t> input_shape(const run::RunConfig& config);

/// The program that printed the log of the model's published training: the model's own, as the
/// model is called, or "trainer", that of transformers, for the models of a hub.
std::string program_of(const run::RunConfig& config);

/// "LibTorch 2.11.0" and what else decides its speed.
std::string library_versions();

}  // namespace epochcast::libtorch
