// Where the ranks of a run meet.
#pragma once

#include <cstdint>

namespace epochcast {

/// The ports to choose from: below those that Linux gives to outgoing connections.
inline constexpr std::int64_t first_port = 10000;
inline constexpr std::int64_t ports = 20000;

}  // namespace epochcast
