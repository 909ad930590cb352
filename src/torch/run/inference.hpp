// A Workload that answers instead of training: forward only.
#pragma once

#include <memory>

#include "src/run/run_config.hpp"
#include "src/train/workload.hpp"

namespace epochcast::libtorch {

class RankGroup;

/// As make_workload, for `task: infer`. Every rank answers its part of the items, so that each is
/// answered once (src/train/answers.hpp). Throws Error where a target accuracy is asked for.
std::unique_ptr<train::Workload> make_inference(const run::RunConfig& config,
                                                const run::RunOutput& output, int threads,
                                                RankGroup* group);

}  // namespace epochcast::libtorch
