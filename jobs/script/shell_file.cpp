#include "jobs/script/shell_file.hpp"

#include <fmt/format.h>

#include "src/base/core/text.hpp"

namespace epochcast::jobs {

const std::string& shell_file_name() {
  static const auto name = fmt::format("epochcast-{:016x}.sh", fnv1a(shell_functions));
  return name;  // each of 100,000 scripts has it
}

void add_functions(Lines& lines) {
  lines.add(". \"$out/scripts/{}\" ||", shell_file_name());
  lines.raw("  { echo \"epochcast: call 'generate', then 'resubmit --missing'\" >&2; exit 1; }");
}

}  // namespace epochcast::jobs
