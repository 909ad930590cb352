// Text that may be gzip-compressed.
#pragma once

#include <string>

namespace epochcast {

/// All of a file, unpacked where it is gzip (told by its bytes, not by its name).
/// Throws Error if it cannot be read, RunError if it is cut off or damaged.
std::string read_text_or_gzip(const std::string& path);

}  // namespace epochcast
