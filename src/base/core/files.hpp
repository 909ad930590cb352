// Reads and writes whole files and folders, so that no partly written file stays under its final
// name.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "src/base/core/error.hpp"

namespace epochcast {

/// Converts an error of the file system to one line that names the path. A path that does not
/// exist, is too long or is not permitted is bad input; a full disk is not.
Error error_of(const std::filesystem::filesystem_error& error);

enum class Written { fresh, changed, same };

/// Writes `text` to `path`, in one step: who waits for the file finds all of it. Does not touch a
/// file with the same content. Throws RunError if the folder is missing, the disk is full, or the
/// file is not writable.
Written write_file(const std::filesystem::path& path, const std::string& text);

/// `text` as part of a file name: every character except letters, digits and "_+-" becomes "-".
std::string file_word(const std::string& text);

/// The most of a text whose content is held in memory several times.
inline constexpr std::size_t most_text_mib = 128;

/// Reads the whole file. Throws Error if it cannot be read, or has more than `most_mib` MiB, as
/// another file under that name may have.
std::string read_file(const std::filesystem::path& path, std::size_t most_mib = most_text_mib);

/// The file as a stream; a failed one, with errno, if it cannot be read or is no regular file: who
/// reads a pipe waits, and a device may have no end.
std::ifstream file_stream(const std::filesystem::path& path);

/// Whether the file or folder exists. Throws Error if that cannot be determined: no permission, or
/// a name that is too long.
bool is_there(const std::filesystem::path& path);

/// The entries of a folder, in no particular order. Throws Error if it cannot be read.
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder);

/// "cannot be read (Permission denied)".
std::string cannot_be_read(const std::error_code& error);

/// What lies below a path, and the path itself.
struct Walk {
  /// Is given each with its depth, 0 for the path itself. Returns whether to look into a folder.
  std::function<bool(const std::filesystem::directory_entry&, int depth)> take;
  /// Is given what is not searched, and why: no permission, or there are more than `most_entries`.
  std::function<void(const std::filesystem::path&, const std::string& why)> pass;
  int most_entries = 0;
};

/// Follows no link below the path: the folder of somebody else may link to any file of the
/// reader's. What cannot be read does not throw.
void walk(const std::filesystem::path& path, Walk how);

/// The absolute path. Throws Error for "", and if the working folder no longer exists.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Creates the folder and its parents. Throws RunError with the reason.
void make_folder(const std::filesystem::path& path);

/// /dev/stdout, /dev/fd/1: a name for a file that somebody has opened.
bool is_open_file(const std::filesystem::path& path);

/// The file that the links name; it need not exist. Ends at the name of an open file. A loop of
/// links is left to stat().
std::filesystem::path behind_links(std::filesystem::path path);

/// Throws Error for a named pipe, on which a reader would wait for a writer, and for a device,
/// which may have no end. The pipes of a shell (/dev/stdin, <(command)) have both; /dev/null is
/// empty.
void require_no_pipe(const std::string& path);

/// Throws Error if the content that begins with `head` is a Git LFS pointer, or the page of a web
/// site that was saved instead of the file.
void require_no_stand_in(const std::string& path, std::string_view head);

}  // namespace epochcast
