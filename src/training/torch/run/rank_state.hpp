// The state of a rank besides weights and optimizers, which are the same on
// all: random numbers and the losses of its part of the data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/training/torch/base/named_tensors.hpp"
#include "src/training/torch/base/sums.hpp"

namespace epochcast::libtorch {

/// The state of this rank as bytes, with a fingerprint of `parameters`. `gradients`: what has
/// gathered of an update that is not done.
std::string pack_rank_state(const torch::Device& device, const Sums& losses,
                            const NamedTensors& parameters, const NamedTensors& gradients);

/// Gives this rank the state that pack_rank_state made. `path`: of the checkpoint it was in, for
/// errors.
void restore_rank_state(const std::string& path, const std::string& packed,
                        const torch::Device& device, Sums& losses, const NamedTensors& gradients);

/// Throws RunError naming the first of `packed` (by rank) whose parameters are not those of rank 0,
/// to the bit: ranks that have drifted apart train different networks.
void check_same_parameters(const std::vector<std::string>& packed);

}  // namespace epochcast::libtorch
