// The two kinds of errors of our programs, and the only function that converts them to an exit
// status.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace epochcast {

/// The exit status of every program of ours.
enum ExitStatus : int {
  exit_done = 0,
  exit_failed = 1,     ///< Something failed although the input was good.
  exit_bad_input = 2,  ///< The user can fix it: a file, an option, a value.
  /// Stopped early with a partial result saved (EX_TEMPFAIL: run again to finish).
  exit_stopped = 75,
};

/// Bad input. The text is one line: the place, what was found, what was expected.
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

/// There was not enough memory, on the host or on the device.
class OutOfMemory : public RunError {
 public:
  using RunError::RunError;
};

/// Opens /dev/null instead of closed standard streams, runs `body`, prints any exception as one
/// line "PROGRAM: error: text" on stderr, and returns the exit status. This is the only catch of a
/// program; it never prints a stack trace.
int run_program(std::string_view program, const std::function<int()>& body);

struct Caught {
  std::string text;  ///< One line, without the stack traces that libraries append.
  ExitStatus status = exit_failed;
  bool is_out_of_memory = false;
};

/// Call it in a catch block: what was caught, whatever its type is.
Caught caught_exception();

}  // namespace epochcast
