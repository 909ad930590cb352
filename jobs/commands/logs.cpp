#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "jobs/campaign/status.hpp"
#include "jobs/commands/commands.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

/// The last `count` lines of a text; all for 0.
std::string last_lines(const std::string& text, std::int64_t count) {
  auto start = text.size() - (text.ends_with('\n') ? 1 : 0);
  for (std::int64_t i = 0; i < count && start != std::string::npos && start > 0; ++i) {
    start = text.rfind('\n', start - 1);
  }
  const bool whole = count == 0 || start == std::string::npos || start == 0;
  return whole ? text : text.substr(start + 1);
}

/// The same of a file, of which no more is read than that takes.
std::string last_lines_of(const std::string& path, std::int64_t count) {
  auto in = file_stream(path);
  const auto size = in.seekg(0, std::ios::end).tellg();
  if (!in) {
    throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }
  constexpr std::int64_t first_part = 65'536;
  for (std::int64_t part = count == 0 ? std::int64_t(size) : first_part;; part *= 4) {
    const auto from = std::max<std::int64_t>(0, size - part);
    std::string text(static_cast<std::size_t>(size - from), '\0');
    in.seekg(from).read(text.data(), static_cast<std::streamsize>(text.size()));
    const auto end = last_lines(text, count);
    if (from == 0 || end.size() < text.size()) {
      return end;
    }
  }
}

int run_logs(const cli::Arguments& arguments) {
  std::int64_t lines = 0;
  cli::read_option(arguments, "lines", lines, ">=0");
  std::size_t printed = 0;
  for (const auto& point : status(only_word(arguments, "OUT"), arguments.all("filter")).points) {
    if (point.log.empty()) {
      continue;
    }
    auto text = last_lines_of(point.log, lines);
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
