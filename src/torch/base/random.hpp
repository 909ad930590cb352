// Random numbers: generators of our own for what must depend on the seed alone, and the state of
// LibTorch's default ones, which the networks draw from.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/torch/base/named_tensors.hpp"
#include "src/torch/base/procedure.hpp"

namespace epochcast::libtorch {

/// A generator on the host for `purpose` ("order", "sample"); equal arguments give equal numbers.
torch::Generator seeded(std::string_view purpose, std::int64_t seed, std::int64_t epoch);

/// The order in which `epoch` goes through `samples`: that of Python's DistributedSampler,
/// torch.randperm from a generator seeded with seed + epoch.
std::vector<std::int64_t> shuffled_order(std::int64_t samples, std::int64_t seed,
                                         std::int64_t epoch);

/// Seeds LibTorch's default generators for `rank`: the weights of rank 0 count, but noise and
/// dropout must differ.
void seed_rank(std::int64_t seed, std::int64_t rank);

/// The state of the default generators that work on `device` draws from, for a checkpoint.
NamedTensors random_state(const torch::Device& device);

/// The inverse; generators that `saved` does not have are left alone.
void set_random_state(const NamedTensors& saved, const torch::Device& device);

}  // namespace epochcast::libtorch
