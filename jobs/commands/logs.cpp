#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "jobs/campaign/status.hpp"
#include "jobs/commands/commands.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"

namespace epochcast::jobs {
namespace {

/// The last `count` lines of a file; all for 0.
std::string last_lines(const std::string& path, std::int64_t count) {
  constexpr double patience_s = 60;
  require_no_pipe(path);
  const auto lines = count == 0 ? "+1" : fmt::to_string(count);
  auto tail = process::run_command({"tail", "--lines=" + lines, "--", path}, patience_s);
  if (!tail.ok()) {
    throw Error(path + ": " + printable(trim(tail.err)));
  }
  return std::move(tail.out);
}

int run_logs(const cli::Arguments& arguments) {
  std::int64_t lines = 0;
  cli::read_option(arguments, "lines", lines, ">=0");
  std::size_t printed = 0;
  for (const auto& point : status(only_word(arguments, "OUT"), arguments.all("filter")).points) {
    if (point.log.empty()) {
      continue;
    }
    auto text = last_lines(point.log, lines);
    if (isatty(STDOUT_FILENO) == 1) {
      text =
          printable_lines(text);  // it shows colors of a log as text, and obeys nothing else in it
    }
    fmt::print("{}==> {} ({}) {} <==\n{}{}", printed > 0 ? "\n" : "", point.point,
               to_text(point.state), point.log, text,
               text.empty() || text.ends_with('\n') ? "" : "\n");
    ++printed;
  }
  if (printed == 0) {
    cli::report("no point has a log yet");
  }
  return exit_done;
}

}  // namespace

cli::Subcommand logs_command() {
  return {"logs",
          {.usage = "epochcast-jobs logs OUT [--lines N] [--filter COLUMN=VALUE]",
           .summary = "Prints the end of each point's log",
           .example = "epochcast-jobs logs out --lines 20 --filter point=dcgan.t4.e2.r0-k3m9x2q7ab",
           .options = {{"lines,n", "N", "Lines of each log (0: all)", "10"}, filter_option()},
           .positional = "OUT"},
          run_logs};
}

}  // namespace epochcast::jobs
