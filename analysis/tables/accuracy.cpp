// How well each model answers on each device, and whether the same weights answer equally well on
// all of them.
#include <array>
#include <cmath>

#include "analysis/groups/device_grid.hpp"
#include "analysis/groups/undisturbed.hpp"
#include "analysis/records/best_metric.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::tables {
namespace accuracy_table {

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
  const auto values = known_values(runs, [&](const auto* run) { return score(*run, name); });
  return summarize(values);
}

/// The median over the runs of the best of each; nothing for inference.
table::Cell best_cell(const std::vector<const record::Record*>& runs) {
  const auto values = known_values(
      runs, [](const auto* run) { return infers(*run) ? std::nullopt : best_accuracy(*run); });
  return table::median_cell(summarize(values));
}

table::Columns<WorkloadKey> work_columns(const std::vector<std::string>& by) {
  table::Columns<WorkloadKey> columns{{"task", "task", &WorkloadKey::task}};
  return columns.add_each(by, &WorkloadKey::by)
      .add({{"model", "model", &WorkloadKey::name},
            {"batch", "batch", "", 0,
             [](const auto& work) {
               const auto batch = work.parameters.find("batch");
               return batch == work.parameters.end() ? std::nullopt : parse_double(batch->second);
             }},
            {"source", "source", &WorkloadKey::source}});
}

/// The runs of a work on a setting.
struct ScoredRuns {
  const WorkloadKey* work;
  const Configuration* setting;
  std::vector<const record::Record*> runs;
};

table::Table scores_of(const AcrossDevices& grid, const std::vector<std::string>& by) {
  std::vector<ScoredRuns> rows;
  for (const auto& work : grid.works) {
    for (std::size_t setting = 0; setting < grid.settings.size(); ++setting) {
      if (!work.runs[setting].empty()) {
        rows.push_back({&work, &grid.settings[setting], work.runs[setting]});
      }
    }
  }
  table::Columns<ScoredRuns> columns;
  columns.add(work_columns(by), &ScoredRuns::work)
      .add({{"allocation", "allocation", [](const auto& row) { return row.setting->allocation; }},
            {"device", "device", [](const auto& row) { return row.setting->device; }},
            {"runs", "runs", "", 0, [](const auto& row) { return row.runs.size(); }}});
  for (const auto& [name, heading] : scores) {
    columns.add({name, heading, "", 4, [name](const auto& row) {
                   return table::median_cell(summary_of(row.runs, name));
                 }});
  }
  columns.add(
      {{"accuracy_spread", "spread of accuracy", "", 4,
        [](const auto& row) { return table::spread_cell(summary_of(row.runs, "accuracy")); }},
       {"best_accuracy", "best epoch's accuracy", "", 4,
        [](const auto& row) { return best_cell(row.runs); }}});
  auto table = table::make_table("accuracy", "Scores of each model", columns, rows);
  table.notes.emplace_back(
      "on held-out data, after the last epoch; several runs: the median, and the largest minus the "
      "smallest");
  return table;
}

/// A work on a pair of settings. One that was measured several times on a device has one accuracy
/// there, or the check fails by itself.
struct Agreement {
  const WorkloadKey* work;
  std::string first;
  std::string second;
  double first_accuracy;
  double second_accuracy;
  double difference;
  std::optional<double> items;  ///< What is less than one answer is rounding.

  bool equal() const { return items ? *items == 0 : difference == 0; }
};

Agreement agreement_of(const AcrossDevices& grid, const WorkloadKey& work,
                       const SettingPair& pair) {
  auto all = work.runs[pair.first];
  all.insert(all.end(), work.runs[pair.second].begin(), work.runs[pair.second].end());
  const double spread = summary_of(all, "accuracy")->spread;
  const auto samples = parse_double(work.parameters.at("samples_per_epoch")).value_or(0);
  return {.work = &work,
          .first = grid.settings[pair.first].label,
          .second = grid.settings[pair.second].label,
          .first_accuracy = summary_of(work.runs[pair.first], "accuracy")->median,
          .second_accuracy = summary_of(work.runs[pair.second], "accuracy")->median,
          .difference = spread,
          .items = samples > 0 ? std::optional(std::round(spread * samples)) : std::nullopt};
}

table::Table check_of(const AcrossDevices& grid, const std::vector<std::string>& by) {
  std::vector<Agreement> rows;
  for (const auto& work : grid.works) {
    for (const auto& pair : pairs_of(grid.settings)) {
      if (!work.runs[pair.first].empty() && !work.runs[pair.second].empty()) {
        rows.push_back(agreement_of(grid, work, pair));
      }
    }
  }
  table::Columns<Agreement> columns;
  columns.add(work_columns(by), &Agreement::work)
      .add({{"first", "first", &Agreement::first},
            {"second", "second", &Agreement::second},
            {"first_accuracy", "first", "", 6, &Agreement::first_accuracy},
            {"second_accuracy", "second", "", 6, &Agreement::second_accuracy},
            {"difference", "difference", "", 6, &Agreement::difference},
            {"items", "items", "", 0, &Agreement::items},
            {"verdict", "verdict",
             [](const auto& row) { return row.equal() ? "equal" : "NOT EQUAL"; }}});
  auto table = table::make_table("same_weights", "Agreement of the same weights on both devices",
                                 columns, rows);
  if (!rows.empty()) {
    table.notes.emplace_back(
        "inference of equal parameters, seed included: weights come from one file, or are drawn on "
        "the host; difference: the largest between any two runs, items: how many answers that is");
  }
  return table;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  require_attributes(records, options.by);
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

}  // namespace accuracy_table

TableSpec accuracy() {
  return {.summary =
              "accuracy and other scores by model and device; agreement between "
              "devices",
          .make = accuracy_table::make,
          .rows = record::Rows::without_steps,
          .keeps_disturbed = true};
}

}  // namespace epochcast::analysis::tables
