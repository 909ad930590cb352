// A Workload that answers instead of training: forward only.
#pragma once

#include <memory>

#include "src/run/run_config.hpp"
#include "src/train/workload.hpp"

namespace epochcast {

class RankGroup;

/// As make_workload, for `task: infer`. Throws Error where several ranks or a target accuracy are
/// asked for.
std::unique_ptr<Workload> make_inference(const RunConfig& config, const RunOutput& output,
                                         int threads, const RankGroup* group);

}  // namespace epochcast
