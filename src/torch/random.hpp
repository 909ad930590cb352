// Random numbers: generators of our own for what must depend on the seed alone, and the state of LibTorch's
// default ones, which the networks draw from.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/torch/model.hpp"

namespace epochcast {

/// A generator on the host for `purpose` ("order", "sample"); equal arguments give equal numbers.
torch::Generator seeded(std::string_view purpose, std::int64_t seed, std::int64_t epoch);

/// The state of the default generators that work on `device` draws from, for a checkpoint.
NamedTensors random_state(const torch::Device& device);

/// The inverse; generators that `saved` does not have are left alone.
void set_random_state(const NamedTensors& saved, const torch::Device& device);

}  // namespace epochcast
