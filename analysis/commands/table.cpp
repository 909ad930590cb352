#include "src/output/table/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/commands/commands.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/registry.hpp"
#include "src/forecast/history/history_file.hpp"
#include "src/output/table/format.hpp"
#include "src/output/table/output.hpp"

namespace epochcast::analysis {
namespace {

int run_table(const cli::Arguments& arguments) {
  if (print_list(arguments, tables::all())) {
    return exit_done;
  }
  const auto name = words_after(arguments, 0, "NAME ('table list' prints the names)").front();
  const auto& spec = find_entry(tables::all(), "table", name);
  find_entry(table::formats::all(), "format",
             arguments.get("format"));  // before the work, not after it
  if (arguments.has("cluster") && !spec.takes_cluster) {
    throw Error("--cluster: goes with table cost");
  }
  const TableOptions options{.by = arguments.all("by"),
                             .device = arguments.get("device"),
                             .cluster = arguments.get("cluster")};
  const std::vector<std::string> files(arguments.positional().begin() + 1,
                                       arguments.positional().end());
  const bool is_of_histories = !files.empty() && std::ranges::all_of(files, &history::is_history);
  if (spec.of_files && (!spec.make || is_of_histories)) {
    table::write_tables(spec.of_files(files, options), arguments);
    return exit_done;
  }
  const auto loaded = requested_records(arguments, spec.rows);
  table::write_tables(tables_of(spec, loaded.records, options), arguments);
  return status_of(loaded);
}

}  // namespace

cli::Subcommand table_command() {
  auto options = table::output_options();
  options.push_back(
      {"filter", "NAME=VALUE", "Keep records where NAME=VALUE; repeat NAME for OR", "", true});
  options.push_back(
      {"by", "NAME", "Separate rows for each value of this parameter or header field", "", true});
  options.push_back({"device", "DEVICE",
                     "Of table roofline: a file of measure-device, or a device of the database"});
  options.push_back({"cluster", "FILE",
                     "With table cost: prices of this cluster profile, not those in the records"});
  return {
      "table",
      {.usage = "epochcast-analyze table NAME RECORDS... [options]",
       .summary = "Prints a table of records ('table list' prints the names)",
       .example = "epochcast-analyze table lab out/records --format markdown --filter batch=256",
       .options = std::move(options),
       .positional = "NAME RECORDS..."},
      run_table};
}

}  // namespace epochcast::analysis
