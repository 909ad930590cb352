// zlib: text that may be gzip-compressed, and checksums.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace epochcast {

/// All of a file, unpacked where it is gzip (told by its bytes, not by its name).
/// Throws Error where it cannot be read, RunError where it is cut off or damaged.
std::string read_text_or_gzip(const std::string& path);

/// The CRC-32 of `bytes`, as zlib, gzip and zip compute it.
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace epochcast
