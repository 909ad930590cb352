// What the command line of the trainer needs from LibTorch before a run. This header uses no
// LibTorch type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/record/run/run_config.hpp"

namespace epochcast::libtorch {

/// Returns `config` with the optimizer and every option of model, data set and optimizer filled in.
/// If the optimizer is the one that the model was published with, its options default to the
/// published values. Throws Error if a model, data set, optimizer or option is unknown, or if a
/// value is not allowed.
run::RunConfig resolve_defaults(run::RunConfig config);

/// Shape of one sample for the model of a completed `config`: {3, 64, 64}.
std::vector<std::int64_t> input_shape(const run::RunConfig& config);

/// The program that printed the log of the model's published training: "trainer", the Trainer of
/// transformers, for the models of a hub; for all others the name of the model, since each has its
/// own program.
std::string program_of(const run::RunConfig& config);

/// "LibTorch 2.11.0" and everything else that determines its speed.
std::string library_versions();

/// library_versions() for --version, and whether this trainer can use a GPU of a machine that has
/// one: which architectures LibTorch has code for, otherwise why not.
std::string version_line();

/// Loads LibTorch's part for CUDA, if there is one. Before the first library_versions() of a run on
/// a GPU: LibTorch remembers what it then had. Does not throw: open_device() does.
void load_cuda();

}  // namespace epochcast::libtorch
