// Pictures to PNG files.
#pragma once

#include <string>

#include "src/image/image.hpp"

namespace epochcast::image {

/// Writes `image` as 8-bit RGB PNG. The file gets its name when it is complete; an older one is
/// replaced. Throws RunError "PATH: cannot be written: reason".
void write_png(const std::string& path, const Image& image);

}  // namespace epochcast::image
