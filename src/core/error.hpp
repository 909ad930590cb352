// The two ways a program of ours ends badly, and the one place that turns them into an exit status.
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace epochcast {

/// What every program of ours returns.
enum ExitStatus : int {
  exit_done = 0,
  exit_failed = 1,     ///< Something failed although the input was good.
  exit_bad_input = 2,  ///< The user can fix it: a file, an option, a value.
  /// Stopped early with a partial result saved (EX_TEMPFAIL: run again to finish).
  exit_stopped = 75,
};

/// Bad input. The text is one line: where, what was found, what was expected.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitStatus status = exit_bad_input)
      : std::runtime_error(message), status_(status) {}
  /// An error at a line of a file: "FILE:LINE: message".
  Error(std::string_view file, int line, const std::string& message)
      : Error(std::string(file) + ":" + std::to_string(line) + ": " + message) {}

  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

/// A run that failed although its input was good: disk full, device lost, a library's own error.
class RunError : public Error {
 public:
  explicit RunError(const std::string& message) : Error(message, exit_failed) {}
};

/// Memory did not suffice, on the host or on the device.
class OutOfMemory : public RunError {
 public:
  using RunError::RunError;
};

/// What the file system said, in one line that names the path. A path that is not there, too long
/// or not allowed is bad input, a full disk is not.
Error error_of(const std::filesystem::filesystem_error& error);

/// Opens /dev/null in place of closed standard streams, runs `body`, prints any exception as one
/// line "PROGRAM: error: text" on stderr, and gives the exit status. The one catch of a program;
/// never a stack trace.
int run_program(std::string_view program, const std::function<int()>& body);

}  // namespace epochcast
