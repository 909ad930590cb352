// Which of the inputs that wait form the next micro-batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace epochcast::serve {

/// The places of at most `most` inputs, ascending; `lengths` are those of all that wait, the oldest
/// first. The oldest is always among them, so none waits forever. The others are those nearest to
/// its length, the older first, and at most about twice as long or half as long: a batch is padded
/// to its longest input, so an input of 500 tokens would make twenty short ones cost as much.
std::vector<std::size_t> choose_batch(std::span<const std::int64_t> lengths, std::size_t most);

}  // namespace epochcast::serve
