// Bytes of files as numbers and as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace epochcast::weights {

/// The number that at most 8 bytes are, the lowest first.
inline std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return value;
}

/// The same bytes as characters.
inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT: bytes as text
}

}  // namespace epochcast::weights
