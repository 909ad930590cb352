#include "src/cli/report.hpp"

#include <errno.h>
#include <fmt/format.h>

#include <cstdio>

namespace epochcast::cli {

void report(const std::string& line) {
  fmt::print(stderr, "{}: {}\n", program_invocation_short_name, line);
}

}  // namespace epochcast::cli
