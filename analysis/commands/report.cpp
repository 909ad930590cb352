// `report`: one page from records.
#include "analysis/report/report.hpp"

#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/version.hpp"

namespace epochcast::analysis {
namespace {

int run_report(const cli::Arguments& arguments) {
  const auto output = arguments.get("output");
  const auto input = read_report_input({.paths = words_after(arguments, 0, "RECORDS..."),
                                        .filters = arguments.all("filter"),
                                        .ledgers = arguments.all("ledger"),
                                        .cluster = arguments.get("cluster")});
  for (const auto& line : input.damaged) {
    cli::report("skipped: " + line);
  }
  const auto page = report_page(
      input, {.title = arguments.get("title"),
              .made_at = iso8601(),
              .made_by = fmt::format("Epochcast {} ({})", tool_version, tool_revision)});
  write_file(output, page);
  constexpr double kib = 1024;
  cli::report(fmt::format("{}: {:.0f} KiB, {}", output, static_cast<double>(page.size()) / kib,
                          counted(input.records.size(), "record")));
  return input.damaged.empty() ? exit_done : exit_failed;
}

}  // namespace

cli::Subcommand report_command() {
  return {"report",
          {.usage = "epochcast-analyze report RECORDS... [-o FILE] [options]",
           .summary = "Writes one page (HTML) about records: what ran where, tables, pictures, "
                      "disturbed and failed runs, forecasts, how to repeat it",
           .example = "epochcast-analyze report out/records -o report.html",
           .options = {{"output,o", "FILE", "File to write", "report.html"},
                       {"title", "TEXT", "Title of the page (default: names of the experiments)"},
                       {"ledger", "FILE",
                        "Ledger with forecasts (default: ledger.csv in the folder of the records)",
                        "", true},
                       {"cluster", "FILE",
                        "Cluster profile with prices (default: prices in the records)"},
                       {"filter", "NAME=VALUE", "Keep records where NAME=VALUE; repeat NAME for OR",
                        "", true}},
           .positional = "RECORDS..."},
          run_report};
}

}  // namespace epochcast::analysis
