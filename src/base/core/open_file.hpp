// Links, and names of files that are open already.
#pragma once

#include <filesystem>

namespace epochcast {

/// /dev/stdout, /dev/fd/1: a name for a file that somebody has opened.
bool is_open_file(const std::filesystem::path& path);

/// The file that the links name; it need not exist. Ends at the name of an open file. A loop of
/// links is left to stat().
std::filesystem::path behind_links(std::filesystem::path path);

}  // namespace epochcast
