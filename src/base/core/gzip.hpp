// zlib: text that may be gzip-compressed, and checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "src/base/core/files.hpp"

namespace epochcast {

inline constexpr std::size_t unbounded_mib = SIZE_MAX >> 20;

/// Reads a whole file and decompresses it if it is gzip (detected by content, not by name). Throws
/// Error if it cannot be read, or has more than `most_mib` MiB; RunError if it is truncated or
/// damaged.
std::string read_text_or_gzip(const std::string& path, std::size_t most_mib = unbounded_mib);
/// The same, part by part.
void read_parts_or_gzip(const std::string& path, const std::function<void(std::string_view)>& take);

/// The CRC-32 of `bytes`, as zlib, gzip and zip compute it.
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace epochcast
