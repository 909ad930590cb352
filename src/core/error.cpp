#include "src/core/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

namespace epochcast {
namespace {

/// Messages of libraries have several lines, the cause first; ours is one line.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Control characters come from the input, such as a path; a terminal must not execute them.
std::string escaped(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

int report(std::string_view program, const std::string& line, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(program.size()), program.data(),
               line.c_str());
  return status;
}

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

/// If a standard stream is closed, the next file that is opened gets its number, and what the
/// program prints lands in that file.
void open_standard_streams() {
  for (int opened = 0; opened >= 0 && opened <= STDERR_FILENO;) {
    opened = open("/dev/null", O_RDWR);
    if (opened > STDERR_FILENO) {
      close(opened);
    }
  }
}

}  // namespace

Error error_of(const std::filesystem::filesystem_error& error) {
  return Error(shown(error.path1().string()) + ": " + error.code().message(),
               is_of_the_path(error.code()) ? exit_bad_input : exit_failed);
}

int run_program(std::string_view program, const std::function<int()>& body) {
  open_standard_streams();
  try {
    return body();
  } catch (const Error& error) {
    return report(program, escaped(error.what()), error.status());
  } catch (const std::filesystem::filesystem_error& error) {
    return report(program, escaped(error_of(error).what()), error_of(error).status());
  } catch (const std::bad_alloc&) {
    return report(program, "out of memory", exit_failed);
  } catch (const std::exception& error) {
    return report(program, escaped(first_line(error.what())), exit_failed);
  }
}

}  // namespace epochcast
