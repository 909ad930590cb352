#include "src/output/table/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/commands/commands.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/registry.hpp"
#include "src/forecast/device/device.hpp"
#include "src/forecast/history/history_file.hpp"
#include "src/output/table/format.hpp"
#include "src/output/table/output.hpp"

namespace epochcast::analysis {
namespace {

/// exit_failed if a cell of that column is above the limit of --fail-above.
int status_above(const table::Table& table, const std::string& column,
                 const cli::Arguments& arguments) {
  if (!arguments.has("fail-above")) {
    return exit_done;
  }
  double limit = 0;
  cli::read_option(arguments, "fail-above", limit, ">=0");
  const auto keys = table::keys_of(table.columns);
  const auto at = std::ranges::find(keys, column) - keys.begin();
  const bool fails = std::ranges::any_of(table.rows, [&](const table::Row& row) {
    const auto* value = std::get_if<double>(&row[static_cast<std::size_t>(at)]);
    return value != nullptr && *value > limit;
  });
  return fails ? exit_failed : exit_done;
}

/// The options of table runs that say what is not recorded.
efficiency::StatedWork stated_work(const cli::Arguments& arguments) {
  efficiency::StatedWork work;
  const auto read = [&](const std::string& name, double& value) {
    if (arguments.has(name)) {
      cli::read_option(arguments, name, value, ">0");
    }
  };
  read("parameters", work.parameters);
  read("flops-per-token", work.flops_per_token);
  read("sequence-length", work.tokens_per_sample);
  read("gpus", work.gpus);
  work.precision = arguments.get("precision");
  if (!device::is_precision(work.precision)) {
    throw Error(fmt::format("--precision: found '{}', expected fp32, tf32, fp16, bf16 or fp64",
                            work.precision));
  }
  return work;
}

/// Throws Error for an option that another table takes, and this one does not.
void require_own_options(const cli::Arguments& arguments, const TableSpec& spec) {
  for (const auto& [name, other] : tables::all()) {
    for (const auto& option : other.own_options) {
      if (arguments.has(option) && std::ranges::count(spec.own_options, option) == 0) {
        throw Error(fmt::format("--{}: goes with table {}", option, name));
      }
    }
  }
}

int run_table(const cli::Arguments& arguments) {
  if (print_list(arguments, tables::all())) {
    return exit_done;
  }
  const auto name = words_after(arguments, 0, "NAME ('table list' prints the names)").front();
  const auto& spec = find_entry(tables::all(), "table", name);
  find_entry(table::formats::all(), "format",
             arguments.get("format"));  // before the work, not after it
  require_own_options(arguments, spec);
  std::vector<std::string> damaged;
  const TableOptions options{.by = arguments.all("by"),
                             .device = arguments.get("device"),
                             .cluster = arguments.get("cluster"),
                             .filter = arguments.all("filter"),
                             .base = arguments.all("base"),
                             .changed = arguments.all("new"),
                             .damaged = &damaged,
                             .work = stated_work(arguments)};
  const std::vector<std::string> files(arguments.positional().begin() + 1,
                                       arguments.positional().end());
  const bool is_of_histories = !files.empty() && std::ranges::all_of(files, &history::is_history);
  if (spec.of_files && (!spec.make || is_of_histories)) {
    const auto made = spec.of_files(files, options);
    table::write_tables(made, arguments);
    const auto status = status_above(made.front(), spec.sure_percent, arguments);
    return damaged.empty() ? status : exit_failed;
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
  options.push_back({"base", "PATH|NAME=VALUE",
                     "Of table compare: the records before the change, or those of RECORDS where "
                     "NAME=VALUE; may be repeated",
                     "", true});
  options.push_back({"new", "PATH|NAME=VALUE", "Of table compare: those after it", "", true});
  options.push_back({"fail-above", "PERCENT",
                     "Of table compare: exit status 1 if the change is surely above PERCENT: its "
                     "95 % interval begins there"});
  for (const auto& option : std::vector<cli::Option>{
           {"parameters", "N",
            "With table runs: parameters of the network, 6 FLOP each for a token"},
           {"flops-per-token", "N", "With table runs: model FLOP of a token"},
           {"sequence-length", "N", "With table runs: tokens of a sample"},
           {"gpus", "N", "With table runs: GPUs of a run whose log does not say it"},
           {"precision", "text", "With table runs: fp32, tf32, fp16 or bf16, for the peak"}}) {
    options.push_back(option);
  }
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
