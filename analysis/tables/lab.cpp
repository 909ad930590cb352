// The lab's own table: one epoch times N against what N epochs really took, on every allocation;
// below it the ratios between allocations as their hardware promises them and as they were, and
// every run that was left out.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/groups/run_groups.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/later_epochs.hpp"
#include "analysis/table_parts/ratios.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis::tables {
namespace {

/// Every loss that the runs report, by name.
std::set<std::string> loss_names(const Study& study) {
  std::set<std::string> names;
  for (const auto& group : study.groups) {
    for (const auto& [epochs, runs] : group.by_epochs) {
      for (const auto* run : runs) {
        for (const auto& metric : run->metrics) {
          if (metric.name.view().starts_with("loss")) {
            names.insert(metric.name.str());
          }
        }
      }
    }
  }
  return names;
}

/// The median of `ask` over the runs.
template <class Ask>
table::Cell median_of(const std::vector<const record::Record*>& runs, Ask ask) {
  std::vector<double> values;
  for (const auto* run : runs) {
    if (const auto value = ask(*run)) {
      values.push_back(*value);
    }
  }
  return table::median_cell(summarize(values));
}

/// Whether the records hold more work than a row can be of.
bool is_swept(const Study& study) {
  return std::ranges::any_of(study.groups,
                             [](const RunGroup& group) { return !group.chosen.empty(); });
}

/// The number of epochs after the first row that all groups have; 0: they differ.
std::int64_t common_epochs(const Study& study) {
  std::set<std::int64_t> epochs;
  for (const auto& group : study.groups) {
    for (const auto& [count, runs] : group.by_epochs) {
      epochs.insert(count);
    }
  }
  epochs.erase(1);
  return epochs.size() == 1 ? *epochs.begin() : 0;
}

table::Column number(const std::string& key, const std::string& heading, const std::string& unit,
                     int decimals) {
  return table::number_column(key, heading, unit, decimals);
}

/// The four columns of the study, then the details.
std::vector<table::Column> columns_of(const Study& study, const std::set<std::string>& losses) {
  const auto common = common_epochs(study);
  const auto count = common > 0 ? fmt::format("{}", common) : "N";
  auto error = number("error_percent", "error", "%", 1);
  error.always_sign = true;
  auto epochs = number("epochs", "N", "", 0);
  epochs.detail = common > 0;
  auto source = table::text_column("source", "source");
  source.detail = std::ranges::all_of(
      study.groups, [](const RunGroup& group) { return group.source == "measured"; });
  auto columns =
      table::columns_by(table::text_column("allocation", "allocation"), study.by,
                        {epochs, number("one_epoch_s", "1 epoch", "s", 1),
                         number("predicted_s", "×" + count + " predicted", "s", 1),
                         number("n_epochs_s", count + " epochs", "s", 1), error, source,
                         table::detail(number("later_epoch_s", "later epoch", "s", 1)),
                         table::detail(number("last_epoch_s", "last epoch", "s", 1)),
                         table::detail(table::text_column("device", "device")),
                         table::detail(number("one_epoch_runs", "runs of 1", "", 0)),
                         table::detail(number("one_epoch_spread_s", "spread of 1", "s", 1)),
                         table::detail(number("n_epochs_runs", "runs of N", "", 0)),
                         table::detail(number("n_epochs_spread_s", "spread of N", "s", 1)),
                         table::detail(number("examples_per_s", "examples", "1/s", 1))});
  if (is_swept(study)) {
    columns.insert(columns.begin() + 1 + std::ssize(study.by),
                   table::text_column("chosen", "chosen"));
  }
  for (const std::string when : {"1", "N"}) {
    for (const auto& loss : losses) {
      columns.push_back(
          table::detail(number(loss + "_after_" + when, loss + " after " + when, "", 3)));
    }
  }
  return columns;
}

table::Cell count_cell(const std::optional<Summary>& summary) {
  return static_cast<double>(summary ? summary->n : 0);
}

/// The row of one group for N = `epochs`; N = 1 where it has nothing longer.
table::Row row_of(const RunGroup& group, std::int64_t epochs, const std::set<std::string>& losses,
                  bool swept) {
  const auto one = group.total_s(1);
  const auto many = epochs == 1 ? std::nullopt : group.total_s(epochs);
  const auto predicted = group.predicted_s(epochs);
  auto row = table::row_by(group.allocation, group.by, {});
  if (swept) {
    row.emplace_back(group.chosen);
  }
  row.insert(row.end(),
             {many ? table::Cell(static_cast<double>(epochs)) : table::Cell(),
              table::median_cell(one), table::cell_of(predicted), table::median_cell(many),
              predicted ? table::Cell((*predicted / many->median - 1) * 100) : table::Cell(),
              group.source, table::cell_of(later_epoch_s(group, epochs)),
              many ? table::cell_of(last_epoch_s(group, epochs)) : table::Cell(), group.device,
              count_cell(one), table::spread_cell(one), count_cell(many), table::spread_cell(many),
              median_of(group.runs(epochs), last_examples_per_s)});
  for (const std::int64_t after : {std::int64_t{1}, epochs == 1 ? std::int64_t{0} : epochs}) {
    for (const auto& loss : losses) {
      row.push_back(median_of(group.runs(after),
                              [&](const record::Record& run) { return last_metric(run, loss); }));
    }
  }
  return row;
}

/// Remarks of the records themselves, each once, and which allocations did not have their CPUs: two
/// that computed on the same few are no comparison.
std::vector<std::string> remarks_of(const Study& study) {
  std::vector<std::string> remarks;
  std::set<std::string> seen;
  for (const auto& group : study.groups) {
    const auto& record = group.example();
    const auto note = record.header.note.str();
    if (!note.empty() && seen.insert(note).second) {
      remarks.push_back(fmt::format("{}: {}", group.allocation, note));
    }
    for (const auto& remark : group.hardware_remarks()) {
      remarks.push_back(remark);
    }
    if (const auto had = cpus_of(record); had < cpus_asked(record)) {
      remarks.push_back(fmt::format("{}: computed on {} of the {} CPUs it requested",
                                    group.allocation, had, cpus_asked(record)));
    }
  }
  return remarks;
}

table::Table times_of(const Study& study) {
  const auto losses = loss_names(study);
  const bool swept = is_swept(study);
  table::Table table{.name = "lab",
                     .title = "Predicted (1 epoch × N) and actual run time",
                     .columns = columns_of(study, losses)};
  bool repeated = false;
  for (const auto& group : study.groups) {
    const auto longest = group.by_epochs.rbegin()->first;
    for (const auto& [epochs, runs] : group.by_epochs) {
      repeated = repeated || runs.size() > 1;
      if (epochs != 1 || longest == 1) {
        table.rows.push_back(row_of(group, epochs, losses, swept));
      }
    }
  }
  table.notes = rule_notes(study.groups);
  table.notes.emplace_back(
      "times: training with evaluation and sample pictures, without the scan of the data set and "
      "checkpoints");
  if (swept) {
    table.notes.emplace_back(
        "the records differ in more than the epochs: the table shows the variant that most "
        "allocations ran; the others are excluded "
        "(separate it with --by or --filter)");
  }
  if (std::ranges::none_of(study.groups,
                           [](const RunGroup& group) { return group.by_epochs.contains(1); })) {
    table.notes.emplace_back(
        "nothing is predicted: there is no run of 1 epoch; 'epochs: [1, N]' in the experiment "
        "makes "
        "one");
  }
  if (repeated) {
    table.notes.emplace_back("several runs: median; spread: largest minus smallest");
  }
  const auto remarks = remarks_of(study);
  table.notes.insert(table.notes.end(), remarks.begin(), remarks.end());
  return table;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  const auto study = sort_runs(records, options.by);
  return not_empty(
      {times_of(study),
       gpu_ratios(study, device::read_device_database(device::device_database_folder())),
       cpu_ratios(study), excluded_table(study.excluded)});
}

}  // namespace

TableSpec lab() {
  return {
      .summary = "1 epoch × N against N epochs, and the ratios between allocations, as in the lab",
      .make = make,
      .rows = record::Rows::without_steps,
      .answer = {1, "error_percent", 1}};
}

}  // namespace epochcast::analysis::tables
