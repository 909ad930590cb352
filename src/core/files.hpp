// Whole files and folders: never half a file under a name that someone reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace epochcast {

enum class Written { fresh, changed, same };

/// Puts `text` into `path`; a file that differs is replaced in one step, one that is the same is
/// left alone. Throws RunError: folder missing, no space, not writable.
Written write_file(const std::filesystem::path& path, const std::string& text);

/// Letters, digits and "_+-" of `text`, anything else as "-": a part of a file's name.
std::string file_word(const std::string& text);

/// The whole file. Throws Error if it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// Whether there is such a file or folder. Throws Error if that cannot be seen: no permission, a
/// name that is too long.
bool is_there(const std::filesystem::path& path);

/// What is in a folder, in no order. Throws Error if it cannot be read.
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder);

/// `path` from the root on. Throws Error for "", and where the working folder is gone.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Makes the folder and those above it. Throws RunError with the reason.
void make_folder(const std::filesystem::path& path);

}  // namespace epochcast
