// Text that may be gzip-compressed.
#pragma once

#include <string>

namespace epochcast {

/// All of a file, unpacked where it is gzip (told by its bytes, not by its name).
/// Throws Error where it cannot be read, RunError where it is cut off or damaged.
std::string read_text_or_gzip(const std::string& path);

}  // namespace epochcast
