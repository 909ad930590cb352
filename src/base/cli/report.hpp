// Messages of a running program.
#pragma once

#include <string>

namespace epochcast::cli {

/// Prints "PROGRAM: line" on stderr.
void report(const std::string& line);

}  // namespace epochcast::cli
