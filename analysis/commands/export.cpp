#include <fmt/format.h>

#include <filesystem>

#include "analysis/commands/commands.hpp"
#include "analysis/export/exporter.hpp"
#include "analysis/groups/undisturbed.hpp"
#include "analysis/records/disturbed.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/registry.hpp"

namespace epochcast::analysis {
namespace {

/// Names on standard error what is left out, and what others disturbed but has no other repeat.
std::vector<LoadedRecord> without_disturbed(std::vector<LoadedRecord> records) {
  const auto found = undisturbed(records);
  for (const auto& run : found.excluded) {
    cli::report(fmt::format("left out: {}: {}", run.path, run.reason));
  }
  for (const auto& run : found.disturbed) {
    cli::report(fmt::format("{} was disturbed, and there is no undisturbed repeat of it: {}",
                            run.path, run.reason));
  }
  return found.left_out.empty() ? std::move(records) : records_without(records, found.left_out);
}

int run_export(const cli::Arguments& arguments) {
  if (print_list(arguments, exporters::all())) {
    return exit_done;
  }
  const auto kind = words_after(arguments, 0, "KIND ('export list' prints them)").front();
  if (kind == "wandb" || kind == "mlflow") {
    throw Error(
        fmt::format("the Python package does this now: epochcast.to_{}(\"RECORDS\")", kind));
  }
  const auto& exporter = find_entry(exporters::all(), "kind of export", kind);
  const auto paths = words_after(arguments, 1, "RECORDS...");
  if (!arguments.has("output")) {
    throw Error("--output is missing (see --help)");
  }
  const auto loaded = load_and_report(paths);
  auto records = filtered(loaded.records, arguments.all("filter"));
  if (exporter.leaves_disturbed_out) {
    records = without_disturbed(std::move(records));
  }
  const std::filesystem::path output = arguments.get("output");
  make_folder(output);
  std::string printed;  // of files in a folder, the folder is named
  for (const auto& file : exporter.make(records)) {
    const auto path = output / file.name;
    make_folder(path.parent_path());
    write_file(path.string(), file.text);
    const auto top = (output / *std::filesystem::path(file.name).begin()).string();
    if (top != printed) {
      fmt::print("{}\n", top);
      printed = top;
    }
  }
  return status_of(loaded);
}

}  // namespace

cli::Subcommand export_command() {
  return {"export",
          {.usage = "epochcast-analyze export KIND RECORDS... -o DIR [options]",
           .summary = "Exports records for other programs ('export list' prints the kinds)",
           .example = "epochcast-analyze export csv out/records -o csv",
           .options = {{"output,o", "DIR", "Folder of the files; created if needed"},
                       {"filter", "NAME=VALUE", "Keep records where NAME=VALUE; repeat NAME for OR",
                        "", true}},
           .positional = "KIND RECORDS..."},
          run_export};
}

}  // namespace epochcast::analysis
