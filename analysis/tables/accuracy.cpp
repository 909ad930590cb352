// How well each model answers on each device, and whether the same weights answer equally well on
// all of them.
#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/groups/device_grid.hpp"
#include "analysis/groups/excluded_runs.hpp"
#include "analysis/records/best_metric.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/table.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::tables {
namespace {

struct Score {
  const char* name;
  const char* heading;
};
constexpr std::array scores{
    Score{"accuracy", "accuracy"}, Score{"balanced_accuracy", "balanced accuracy"},
    Score{"precision", "precision"}, Score{"recall", "recall"}, Score{"f1", "F1"}};

/// After the last epoch that was scored: of a training on held-out data, of an inference of its
/// answers.
std::optional<double> score(const record::Record& record, const std::string& name) {
  return last_metric(record, infers(record) ? name : held_out_name(record, name));
}

/// The batch changes no answer as long as all items are asked.
bool batch_matters(const record::Record& record) {
  return !infers(record) ||
         parse_double(record::parameter(record, "max_iterations")).value_or(0) > 0;
}

/// Weights that no file gives are drawn by the seed, on the host; asking again changes no answer.
record::ParameterNames free_in_check(const record::Record& record) {
  record::ParameterNames free;
  if (infers(record)) {
    free.insert("epochs");
  }
  if (!batch_matters(record)) {
    free.insert("batch");
  }
  return free;
}

record::ParameterNames free_in_accuracy(const record::Record& record) {
  auto free = free_in_check(record);
  free.merge(record::names_of({run::ParameterRole::repeat}));
  return free;
}

std::optional<Summary> summary_of(const std::vector<const record::Record*>& runs,
                                  const std::string& name) {
  std::vector<double> values;
  for (const auto* run : runs) {
    if (const auto value = score(*run, name)) {
      values.push_back(*value);
    }
  }
  return summarize(values);
}

/// The median over the runs of the best of each; nothing for inference.
table::Cell best_cell(const std::vector<const record::Record*>& runs) {
  std::vector<double> values;
  for (const auto* run : runs) {
    if (const auto best = infers(*run) ? std::nullopt : best_accuracy(*run)) {
      values.push_back(*best);
    }
  }
  return table::median_cell(summarize(values));
}

std::vector<table::Column> work_columns(const std::vector<std::string>& by,
                                        const std::vector<table::Column>& rest) {
  auto columns = table::columns_by(
      table::text_column("task", "task"), by,
      {table::text_column("model", "model"), table::number_column("batch", "batch", "", 0),
       table::text_column("source", "source")});
  columns.insert(columns.end(), rest.begin(), rest.end());
  return columns;
}

table::Row work_cells(const WorkloadKey& work) {
  const auto batch = work.parameters.find("batch");
  return table::row_by(
      work.task, work.by,
      {work.name,
       batch == work.parameters.end() ? table::Cell() : table::cell_of(parse_double(batch->second)),
       work.source});
}

table::Table scores_of(const AcrossDevices& grid, const std::vector<std::string>& by) {
  std::vector<table::Column> rest{table::text_column("allocation", "allocation"),
                                  table::text_column("device", "device"),
                                  table::number_column("runs", "runs", "", 0)};
  for (const auto& [name, heading] : scores) {
    rest.push_back(table::number_column(name, heading, "", 4));
  }
  rest.push_back(table::number_column("accuracy_spread", "spread of accuracy", "", 4));
  rest.push_back(table::number_column("best_accuracy", "best epoch's accuracy", "", 4));
  table::Table table{
      .name = "accuracy", .title = "Scores of each model", .columns = work_columns(by, rest)};
  for (const auto& work : grid.works) {
    for (std::size_t setting = 0; setting < grid.settings.size(); ++setting) {
      const auto& runs = work.runs[setting];
      if (runs.empty()) {
        continue;
      }
      auto& row = table.rows.emplace_back(work_cells(work));
      row.insert(row.end(), {grid.settings[setting].allocation, grid.settings[setting].device,
                             static_cast<double>(runs.size())});
      for (const auto& [name, heading] : scores) {
        row.push_back(table::median_cell(summary_of(runs, name)));
      }
      row.push_back(table::spread_cell(summary_of(runs, "accuracy")));
      row.push_back(best_cell(runs));
    }
  }
  table.notes.emplace_back(
      "on held-out data, after the last epoch; several runs: the median, and the largest minus the "
      "smallest");
  return table;
}

/// The row of one pair; a work that was measured several times on a device has one accuracy there,
/// or the check fails by itself. What is less than one answer is rounding.
table::Row check_cells(const AcrossDevices& grid, const WorkloadKey& work,
                       const SettingPair& pair) {
  auto all = work.runs[pair.first];
  all.insert(all.end(), work.runs[pair.second].begin(), work.runs[pair.second].end());
  const auto first = summary_of(work.runs[pair.first], "accuracy");
  const auto second = summary_of(work.runs[pair.second], "accuracy");
  const double spread = summary_of(all, "accuracy")->spread;
  const auto samples = parse_double(work.parameters.at("samples_per_epoch")).value_or(0);
  const bool equal = samples > 0 ? std::round(spread * samples) == 0 : spread == 0;
  auto row = work_cells(work);
  row.insert(row.end(), {grid.settings[pair.first].label, grid.settings[pair.second].label,
                         first->median, second->median, spread,
                         samples > 0 ? table::Cell(std::round(spread * samples)) : table::Cell(),
                         std::string(equal ? "equal" : "NOT EQUAL")});
  return row;
}

table::Table check_of(const AcrossDevices& grid, const std::vector<std::string>& by) {
  table::Table table{
      .name = "same_weights",
      .title = "Agreement of the same weights on both devices",
      .columns = work_columns(
          by, {table::text_column("first", "first"), table::text_column("second", "second"),
               table::number_column("first_accuracy", "first", "", 6),
               table::number_column("second_accuracy", "second", "", 6),
               table::number_column("difference", "difference", "", 6),
               table::number_column("items", "items", "", 0),
               table::text_column("verdict", "verdict")})};
  for (const auto& work : grid.works) {
    for (const auto& pair : pairs_of(grid.settings)) {
      if (!work.runs[pair.first].empty() && !work.runs[pair.second].empty()) {
        table.rows.push_back(check_cells(grid, work, pair));
      }
    }
  }
  if (!table.rows.empty()) {
    table.notes.emplace_back(
        "inference of equal parameters, seed included: weights come from one file, or are drawn on "
        "the host; difference: the largest between any two runs, items: how many answers that is");
  }
  return table;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  for (const auto& name : options.by) {
    require_attribute(records, name);
  }
  std::vector<const LoadedRecord*> scored;
  std::vector<const LoadedRecord*> inferred;
  std::vector<ExcludedRun> excluded;
  for (const auto& loaded : records) {
    const auto& header = loaded.record.header;
    if (record::outcome_of(header) != run::Outcome::complete) {
      excluded.push_back({loaded.path, fault_of(loaded.record)});
    } else if (!score(loaded.record, "accuracy")) {
      excluded.push_back({loaded.path, "has no accuracy on held-out data"});
    } else {
      scored.push_back(&loaded);
      if (infers(loaded.record)) {
        inferred.push_back(&loaded);
      }
    }
  }
  return not_empty({scores_of(across_devices(scored, options.by, free_in_accuracy), options.by),
                    check_of(across_devices(inferred, options.by, free_in_check), options.by),
                    excluded_table(excluded)});
}

}  // namespace

TableSpec accuracy() {
  return {.summary = "accuracy and other scores by model and device; agreement between devices",
          .make = make,
          .rows = record::Rows::without_steps,
          .keeps_disturbed = true};
}

}  // namespace epochcast::analysis::tables
