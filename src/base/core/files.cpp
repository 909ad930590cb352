#include "src/base/core/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <system_error>

#include "src/base/core/error.hpp"
#include "src/base/core/pending_file.hpp"
#include "src/base/core/text.hpp"

namespace epochcast {
namespace {

bool is_of_the_path(const std::error_code& code) {
  return code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory ||
         code == std::errc::filename_too_long || code == std::errc::permission_denied ||
         code == std::errc::too_many_symbolic_link_levels || code == std::errc::is_a_directory;
}

/// A path of thousands of characters would hide the rest of the message.
std::string shown(const std::string& path) {
  constexpr std::size_t longest = 200;
  return path.size() <= longest ? path : path.substr(0, longest) + "...";
}

namespace fs = std::filesystem;

void look(const fs::directory_entry& entry, int depth, Walk& how) {
  std::error_code error;
  if (!how.take(entry, depth) || !entry.is_directory(error)) {
    return;
  }
  fs::directory_iterator at(entry.path(), error);
  for (std::error_code unclear; !error && at != fs::end(at); at.increment(error)) {
    if (--how.most_entries < 0) {
      how.pass(at->path(), "not searched (there are too many files)");
      return;
    }
    if (!at->is_symlink(unclear)) {
      look(*at, depth + 1, how);
    }
  }
  if (error) {
    how.pass(entry.path(), cannot_be_read(error));
  }
}

}  // namespace

Error error_of(const std::filesystem::filesystem_error& error) {
  return Error(shown(error.path1().string()) + ": " + error.code().message(),
               is_of_the_path(error.code()) ? exit_bad_input : exit_failed);
}

Written write_file(const fs::path& path, const std::string& text) {
  std::error_code unclear;
  const auto type = fs::status(path, unclear).type();
  if (type == fs::file_type::regular && read_file(path) == text) {
    return Written::same;
  }
  // A name that nobody can guess: others may write the same file, or to a folder of all users.
  PendingFile file(path, fmt::format(".{:08x}.new", std::random_device()()));
  file.write(text);
  file.rename();
  return type == fs::file_type::not_found ? Written::fresh : Written::changed;
}

std::string file_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '+' || c == '-';
    word += plain ? c : '-';
  }
  return word;
}

std::string read_file(const fs::path& path, std::size_t most_mib) {
  require_no_pipe(path);
  // Not a stream: a stream reads a folder as an empty text without an error.
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::string text;
  std::array<char, 65536> buffer;
  for (std::size_t count = 1; file && count > 0;) {
    count = std::fread(buffer.data(), 1, buffer.size(), file.get());
    text.append(buffer.data(), count);
    if (text.size() > most_mib << 20) {
      throw Error(fmt::format("{}: found more than {} MiB, expected a smaller file", path.string(),
                              most_mib));
    }
  }
  if (!file || std::ferror(file.get())) {
    throw Error(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  return text;
}

std::ifstream file_stream(const fs::path& path) {
  std::error_code error;
  std::ifstream in;
  if (fs::is_regular_file(path, error)) {
    in.open(path, std::ios::binary);
  } else {
    in.setstate(std::ios::failbit);
    errno = error ? error.value() : fs::is_directory(path, error) ? EISDIR : EINVAL;
  }
  return in;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  const auto type = fs::status(path, error).type();
  if (type != fs::file_type::not_found && error) {
    throw Error(fmt::format("{}: cannot be read: {}", path.string(), error.message()));
  }
  return type != fs::file_type::not_found;
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(*at);
  }
  if (error) {
    throw Error(fmt::format("{}: folder cannot be read: {}", folder.string(), error.message()));
  }
  return entries;
}

std::string cannot_be_read(const std::error_code& error) {
  return fmt::format("cannot be read ({})", error.message());
}

void walk(const fs::path& path, Walk how) {
  std::error_code error;
  look(fs::directory_entry(path, error), 0, how);
}

fs::path absolute_path(const fs::path& path) {
  if (path.empty()) {
    throw Error("found '', expected the name of a file or folder");
  }
  std::error_code error;
  const auto absolute = fs::absolute(path, error);
  if (error) {
    throw Error(fmt::format("{}: is relative to a folder that is gone: {}", path.string(),
                            error.message()));
  }
  return absolute;
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw RunError(fmt::format("{}: folder cannot be made: {}", path.string(), error.message()));
  }
}

bool is_open_file(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path.parent_path(), ignored).string().starts_with("/proc/");
}

fs::path behind_links(fs::path path) {
  constexpr int most_links = 40;  // as in the kernel
  for (int links = 0; links < most_links && !is_open_file(path); ++links) {
    std::error_code no_link;
    const auto to = fs::read_symlink(path, no_link);
    if (no_link) {
      break;
    }
    path = path.parent_path() / to;
  }
  return path;
}

void require_no_pipe(const std::string& path) {
  std::error_code unclear;
  const auto type = fs::status(path, unclear).type();
  const bool is_device = type == fs::file_type::character || type == fs::file_type::block;
  if ((type != fs::file_type::fifo && !is_device) || is_open_file(path) ||
      is_open_file(behind_links(path)) || fs::canonical(path, unclear) == "/dev/null") {
    return;
  }
  throw Error(fmt::format("{}: found a {}, expected a file (/dev/stdin reads from a pipe)", path,
                          is_device ? "device" : "named pipe"));
}

void require_no_stand_in(const std::string& path, std::string_view head) {
  constexpr std::size_t enough = 200;
  const auto start = to_lower(trim(head.substr(0, enough)));
  if (start.starts_with("version https://git-lfs.github.com/spec/")) {
    throw Error(path +
                ": found a Git LFS pointer, not the file itself; `git lfs pull` in its folder "
                "fetches the file");
  }
  if (start.starts_with("<!doctype html") || start.starts_with("<html")) {
    throw Error(path +
                ": found an HTML page, not the file itself; the download saved the page of a web "
                "site: use the address of the file");
  }
}

}  // namespace epochcast
