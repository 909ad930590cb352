// Connects to the other ranks, for a program without LibTorch types.
#pragma once

#include <memory>

#include "src/measure/attempt/place.hpp"
#include "src/measure/attempt/signals.hpp"
#include "src/record/run/run_config.hpp"
#include "src/training/loop/team.hpp"

namespace epochcast::libtorch {

/// Connects this rank with all others of its run; several are a RankGroup. Throws as join_run() of
/// src/training/ranks/rendezvous.hpp.
std::unique_ptr<train::Team> join_ranks(const attempt::RankPlace& place,
                                        const run::RunConfig& config, const run::RunOutput& output,
                                        const attempt::StopFlag& stop);

/// Makes this rank see one GPU of its node's only, where it may see several: that of its place on
/// the node. To be called before the first use of CUDA. Leaves the choice alone for one rank, and
/// where CUDA_VISIBLE_DEVICES names one GPU: the scheduler has chosen. Throws Error where it names
/// several but none for this place; without it nothing is checked here. Of several ranks, only the
/// heartbeat ends a run after the loss of one, not NCCL's own watchdog.
void choose_gpu(const attempt::RankPlace& place, const slurm::Environment& environment);

}  // namespace epochcast::libtorch
