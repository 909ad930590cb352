// Whole text files, and words for their names.
#pragma once

#include <string>

namespace epochcast {

/// Letters, digits and "_+-" of `text`, anything else as "-": a part of a file's name.
std::string file_word(const std::string& text);

/// Throws Error where the file cannot be read.
std::string read_file(const std::string& path);

/// Throws RunError where that fails.
void write_file(const std::string& path, const std::string& text);

/// Makes the folder if it is not there. Throws RunError where that fails.
void make_folder(const std::string& path);

}  // namespace epochcast
