// Random numbers: separate generators for everything that must depend on the seed alone, and the
// state of LibTorch's default generators, which the networks use.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/training/torch/base/named_tensors.hpp"
#include "src/training/torch/base/procedure.hpp"

namespace epochcast::libtorch {

/// A generator on the host for `purpose` ("order", "sample"). Equal arguments give equal numbers.
torch::Generator seeded(std::string_view purpose, std::int64_t seed, std::int64_t epoch);

/// The order of the `samples` in `epoch`. It is the order of Python's DistributedSampler:
/// torch.randperm with a generator seeded with seed + epoch.
std::vector<std::int64_t> shuffled_order(std::int64_t samples, std::int64_t seed,
                                         std::int64_t epoch);

/// Seeds LibTorch's default generators for `rank`. All ranks use the weights of rank 0, but their
/// noise and dropout must differ.
void seed_rank(std::int64_t seed, std::int64_t rank);

/// The state of the default generators used by computation on `device`, for a checkpoint.
NamedTensors random_state(const torch::Device& device);

/// Restores the state from random_state(). Generators that `saved` does not contain keep their
/// state.
void set_random_state(const NamedTensors& saved, const torch::Device& device);

}  // namespace epochcast::libtorch
