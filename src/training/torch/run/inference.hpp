// A Workload that computes answers instead of training: forward only.
#pragma once

#include <memory>

#include "src/record/run/run_config.hpp"
#include "src/training/loop/workload.hpp"

namespace epochcast::libtorch {

class RankGroup;

/// As make_workload, for `task: infer`. Every rank answers its part of the items, so that each item
/// is answered once (src/training/loop/answers.hpp). Throws Error if the configuration has a target
/// accuracy.
std::unique_ptr<train::Workload> make_inference(const run::RunConfig& config,
                                                const run::RunOutput& output, int threads,
                                                RankGroup* group);

}  // namespace epochcast::libtorch
