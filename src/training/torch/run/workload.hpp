// A Workload of LibTorch: a model of src/training/torch/models on a data set of
// src/training/torch/datasets. No LibTorch type appears here.
#pragma once

#include <memory>

#include "src/record/run/run_config.hpp"
#include "src/training/loop/team.hpp"
#include "src/training/loop/workload.hpp"

namespace epochcast::libtorch {

/// Opens the device, the data and the network, and counts the work of a step. `threads`: CPUs of
/// the allocation. `team`: of join_ranks(); nullptr: a single process. Only one
/// workload at a time in a process, because LibTorch's threads and random numbers are global.
/// Throws Error: unknown model, data set or option; RunError: the device cannot be used.
std::unique_ptr<train::Workload> make_workload(const run::RunConfig& config,
                                               const run::RunOutput& output, int threads,
                                               train::Team* team = nullptr);

}  // namespace epochcast::libtorch
