// The exception that is being handled, as every program of ours reports it.
#pragma once

#include <string>

#include "src/base/core/error.hpp"

namespace epochcast {

struct Caught {
  std::string text;  ///< One line, without the stack traces that libraries append.
  ExitStatus status = exit_failed;
  bool is_out_of_memory = false;
};

/// Call it in a catch block: what was caught, whatever its type is.
Caught caught_exception();

}  // namespace epochcast
