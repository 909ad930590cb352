// The ports at which the ranks of a run connect to each other.
#pragma once

#include <cstdint>

namespace epochcast {

/// The first port to choose from and their number: below the range that Linux uses for outgoing
/// connections.
inline constexpr std::int64_t first_port = 10000;
inline constexpr std::int64_t ports = 20000;

}  // namespace epochcast
