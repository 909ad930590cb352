#include "src/forecast/ledger/ledger.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/commands/commands.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/exchange.hpp"

namespace epochcast::analysis {
namespace {

/// The rows of a ledger, or of the ledger of an output folder. Throws Error if there is none.
std::vector<ledger::LedgerRow> rows_of(const std::string& named) {
  const auto path = std::filesystem::is_directory(named) ? ledger::ledger_of(named) : named;
  if (!std::filesystem::exists(path)) {
    throw Error(fmt::format("{}: no such ledger; 'epochcast-jobs plan' creates one", path));
  }
  std::vector<std::string> damaged;
  auto rows = ledger::read_ledger(path, &damaged);
  for (const auto& line : damaged) {
    cli::report("left out: " + line);
  }
  return rows;
}

/// FILE..., or for `export` the user's own ledger.
std::vector<std::string> files_of(const cli::Arguments& arguments, bool is_export) {
  if (!is_export || arguments.positional().size() > 1) {
    return words_after(arguments, 1, "FILE...");
  }
  const auto own = ledger::user_ledger();
  if (!own) {
    throw Error("no ledger given, and neither EPOCHCAST_LEDGER nor HOME is set");
  }
  return {*own};
}

int run_ledger(const cli::Arguments& arguments) {
  const std::vector<std::string> actions{"export", "merge"};
  const auto action = words_after(arguments, 0, "ACTION").front();
  if (action != "export" && action != "merge") {
    throw Error(fmt::format("unknown action '{}'{}; expected export or merge", action,
                            did_you_mean(action, actions)));
  }
  if (!arguments.has("output")) {
    throw Error("--output is missing (see --help)");
  }
  if (arguments.has("site") && action == "merge") {
    throw Error("--site: goes with export; merge keeps the sites that its files name");
  }
  std::vector<std::vector<ledger::LedgerRow>> ledgers;
  std::size_t read = 0;
  std::size_t outcomes = 0;
  for (const auto& file : files_of(arguments, action == "export")) {
    const auto rows = rows_of(file);
    read += rows.size();
    ledgers.push_back(ledger::anonymous(rows, arguments.get("site")));
    outcomes += ledgers.back().size();
  }
  const auto rows = ledger::merged(ledgers);
  ledger::write_ledger(arguments.get("output"), rows);
  cli::report(fmt::format(
      "{}: {} forecasts with outcome (left out: {} without a known outcome or forecast, {} that "
      "occurred twice)",
      arguments.get("output"), rows.size(), read - outcomes, outcomes - rows.size()));
  return exit_done;
}

}  // namespace

cli::Subcommand ledger_command() {
  return {
      "ledger",
      {.usage = "epochcast-analyze ledger export|merge FILE... -o FILE [--site NAME]",
       .summary =
           "Shares what forecasts learned from their errors. export: the forecasts with outcome "
           "of a ledger (default: your own), without names of people, folders, programs and "
           "jobs. merge: several of them as one, each forecast once; set "
           "EPOCHCAST_SITE_LEDGER to that file, and all forecasts learn from it",
       .example = "epochcast-analyze ledger merge anna.csv ben.csv -o /opt/site/ledger.csv",
       .options = {{"output,o", "FILE", "The new ledger; replaced if it exists"},
                   {"site", "NAME", "With export: the name of the site in each row"}},
       .positional = "ACTION FILE..."},
      run_ledger};
}

}  // namespace epochcast::analysis
