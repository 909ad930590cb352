#include "src/base/cli/report.hpp"

#include <errno.h>
#include <fmt/format.h>

#include <cstdio>

#include "src/base/core/text.hpp"

namespace epochcast::cli {

void report(const std::string& line) {
  fmt::print(stderr, "{}: {}\n", program_invocation_short_name, printable(line));
}

}  // namespace epochcast::cli
