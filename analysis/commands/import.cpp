#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/import/importer.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/registry.hpp"
#include "src/forecast/history/history_file.hpp"

namespace epochcast::analysis {
namespace {

/// Broken lines are named, but a file of something else must not fill the screen.
void report_remarks(const std::string& file, const std::vector<std::string>& remarks) {
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < remarks.size() && i < most; ++i) {
    cli::report(remarks[i]);
  }
  if (remarks.size() > most) {
    cli::report(fmt::format("{}: {} more such messages", file, remarks.size() - most));
  }
}

int run_import(const cli::Arguments& arguments) {
  if (print_list(arguments, importers::all())) {
    return exit_done;
  }
  const auto kind = words_after(arguments, 0, "KIND ('import list' prints them)").front();
  const auto& importer = find_entry(importers::all(), "kind of import", kind);
  const auto files = words_after(arguments, 1, "FILE...");
  if (!arguments.has("output")) {
    throw Error("--output is missing (see --help)");
  }
  const auto epochs = arguments.has("epochs") ? cli::count_of(arguments, "epochs") : 0;
  int status = exit_done;
  std::vector<slurm::AccountedJob> jobs;
  for (const auto& file : files) {
    auto imported = importer.read(
        file, {arguments.get("allocation"), arguments.get("gpu"), arguments.get("pattern"),
               arguments.get("progress"), arguments.all("name")});
    report_remarks(file, imported.remarks);
    for (const auto& note : imported.notes) {
      cli::report(note);
    }
    jobs.insert(jobs.end(), imported.jobs.begin(), imported.jobs.end());
    if (imported.records.empty() && imported.jobs.empty()) {
      cli::report(fmt::format("{}: no run in it", file));
      status = exit_failed;
    }
    if (epochs > 0) {
      state_epochs(imported.records, epochs);
    }
    for (const auto& path : write_records(imported.records, arguments.get("output"))) {
      fmt::print("{}\n", path);
    }
  }
  if (!jobs.empty()) {
    fmt::print("{}\n", history::add_to_history(arguments.get("output"), jobs));
  }
  return status;
}

}  // namespace

cli::Subcommand import_command() {
  return {
      "import",
      {.usage = "epochcast-analyze import KIND FILE... -o DIR [options]",
       .summary =
           "Imports logs of other programs and published figures as records ('import list' prints "
           "the kinds)",
       .example = "epochcast-analyze import published lab -o published",
       .options = {{"output,o", "DIR",
                    "Folder of the new records, or of history.csv; created if needed"},
                   {"allocation", "NAME", "Allocation of the run, if the file does not name it"},
                   {"gpu", "NAME", "GPU of the run, if the file does not name the model"},
                   {"epochs", "N",
                    "Epochs of the whole run, if the file does not state them; 'table lab' and "
                    "'predict' need the number"},
                   {"pattern", "REGEX",
                    "For 'log': a regular expression with named groups: epoch, step, seconds, ..."},
                   {"progress", "FORMAT",
                    "For 'log': the program's progress format, in place of what its lines show"},
                   {"name", "PATTERN",
                    "For 'sacct': only jobs of this name: a shell pattern (train-*) or a regular "
                    "expression (/^train-/)",
                    "", true}},
       .positional = "KIND FILE..."},
      run_import};
}

}  // namespace epochcast::analysis
