#include "src/base/core/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>

#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast {
namespace {

int report(std::string_view program, const std::string& line, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(program.size()), program.data(),
               line.c_str());
  return status;
}

/// If a standard stream is closed, the next file that is opened gets its number, and the output of
/// the program is written to that file.
void open_standard_streams() {
  for (int opened = 0; opened >= 0 && opened <= STDERR_FILENO;) {
    opened = open("/dev/null", O_RDWR);
    if (opened > STDERR_FILENO) {
      close(opened);
    }
  }
}

/// Short output stays in the buffer until here, so that a full disk shows only now.
void require_written_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw RunError(fmt::format("cannot write to standard output{}{}", errno == 0 ? "" : ": ",
                               errno == 0 ? "" : std::strerror(errno)));
  }
}

/// Library messages have several lines with the cause first; ours have one line.
std::string line_of_cause(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace

int run_program(std::string_view program, const std::function<int()>& body) {
  open_standard_streams();
  try {
    const int status = body();
    require_written_output();
    return status;
  } catch (const Error& error) {
    return report(program, printable(error.what()), error.status());
  } catch (...) {
    const Caught caught = caught_exception();
    return report(program, printable(caught.text), caught.status);
  }
}

Caught caught_exception() {
  try {
    throw;
  } catch (const OutOfMemory& error) {
    return {line_of_cause(error), error.status(), true};
  } catch (const Error& error) {
    return {line_of_cause(error), error.status()};
  } catch (const std::filesystem::filesystem_error& error) {
    return {error_of(error).what(), error_of(error).status()};
  } catch (const std::bad_alloc&) {
    return {"out of memory", exit_failed, true};
  } catch (const std::exception& error) {
    return {line_of_cause(error)};
  } catch (...) {
    return {"an exception of unknown type"};
  }
}

}  // namespace epochcast
