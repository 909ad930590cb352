// zlib: text that may be gzip-compressed, and checksums.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace epochcast {

/// Reads a whole file and decompresses it if it is gzip (detected by content, not by name). Throws
/// Error if it cannot be read, RunError if it is truncated or damaged.
std::string read_text_or_gzip(const std::string& path);

/// The CRC-32 of `bytes`, as zlib, gzip and zip compute it.
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace epochcast
