// How well each model answers on each device, and whether the same weights answer equally well on
// all of them.
#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/across_devices.hpp"
#include "analysis/left_out.hpp"
#include "analysis/run_facts.hpp"
#include "analysis/statistics.hpp"
#include "analysis/table.hpp"
#include "analysis/target.hpp"
#include "src/core/text.hpp"

namespace epochcast::tables {
namespace {

struct Score {
  const char* name;
  const char* heading;
};
constexpr std::array scores{
    Score{"accuracy", "accuracy"}, Score{"balanced_accuracy", "balanced accuracy"},
    Score{"precision", "precision"}, Score{"recall", "recall"}, Score{"f1", "F1"}};

bool infers(const Record& record) {
  return task_of(record) == "infer";
}

/// After the last epoch that was scored: of a training on held-out data, of an inference of its
/// answers.
std::optional<double> score(const Record& record, const std::string& name) {
  return last_metric(record, infers(record) ? name : "val_" + name);
}

/// The batch changes no answer as long as all items are asked.
bool batch_matters(const Record& record) {
  return !infers(record) || parse_double(parameter(record, "max_iterations")).value_or(0) > 0;
}

/// Weights that no file gives are drawn by the seed, on the host; asking again changes no answer.
ParameterNames free_in_check(const Record& record) {
  ParameterNames free;
  if (infers(record)) {
    free.insert("epochs");
  }
  if (!batch_matters(record)) {
    free.insert("batch");
  }
  return free;
}

ParameterNames free_in_accuracy(const Record& record) {
  auto free = free_in_check(record);
  free.merge(names_of({Concern::repeat}));
  return free;
}

std::optional<Summary> summary_of(const std::vector<const Record*>& runs, const std::string& name) {
  std::vector<double> values;
  for (const auto* run : runs) {
    if (const auto value = score(*run, name)) {
      values.push_back(*value);
    }
  }
  return summarize(values);
}

/// The median over the runs of the best of each; nothing for inference.
Cell best_cell(const std::vector<const Record*>& runs) {
  std::vector<double> values;
  for (const auto* run : runs) {
    if (const auto best = infers(*run) ? std::nullopt : best_accuracy(*run)) {
      values.push_back(*best);
    }
  }
  return median_cell(summarize(values));
}

std::vector<Column> work_columns(const std::vector<std::string>& by,
                                 const std::vector<Column>& rest) {
  auto columns = columns_by(text_column("task", "task"), by,
                            {text_column("model", "model"), number_column("batch", "batch", "", 0),
                             text_column("source", "source")});
  columns.insert(columns.end(), rest.begin(), rest.end());
  return columns;
}

Row work_cells(const SameWork& work) {
  const auto batch = work.parameters.find("batch");
  return row_by(
      work.task, work.by,
      {work.name, batch == work.parameters.end() ? Cell() : cell_of(parse_double(batch->second)),
       work.source});
}

Table scores_of(const AcrossDevices& grid, const std::vector<std::string>& by) {
  std::vector<Column> rest{text_column("allocation", "allocation"), text_column("device", "device"),
                           number_column("runs", "runs", "", 0)};
  for (const auto& [name, heading] : scores) {
    rest.push_back(number_column(name, heading, "", 4));
  }
  rest.push_back(number_column("accuracy_spread", "spread of accuracy", "", 4));
  rest.push_back(number_column("best_accuracy", "best epoch's accuracy", "", 4));
  Table table{.name = "accuracy",
              .title = "How well each model answers",
              .columns = work_columns(by, rest)};
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
        row.push_back(median_cell(summary_of(runs, name)));
      }
      row.push_back(spread_cell(summary_of(runs, "accuracy")));
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
Row check_cells(const AcrossDevices& grid, const SameWork& work, const SettingPair& pair) {
  auto all = work.runs[pair.first];
  all.insert(all.end(), work.runs[pair.second].begin(), work.runs[pair.second].end());
  const auto first = summary_of(work.runs[pair.first], "accuracy");
  const auto second = summary_of(work.runs[pair.second], "accuracy");
  const double spread = summary_of(all, "accuracy")->spread;
  const auto samples = parse_double(work.parameters.at("samples_per_epoch")).value_or(0);
  const bool equal = samples > 0 ? std::round(spread * samples) == 0 : spread == 0;
  auto row = work_cells(work);
  row.insert(row.end(),
             {grid.settings[pair.first].label, grid.settings[pair.second].label, first->median,
              second->median, spread, samples > 0 ? Cell(std::round(spread * samples)) : Cell(),
              std::string(equal ? "equal" : "NOT EQUAL")});
  return row;
}

Table check_of(const AcrossDevices& grid, const std::vector<std::string>& by) {
  Table table{.name = "same_weights",
              .title = "Whether the same weights answer equally well on both",
              .columns = work_columns(
                  by, {text_column("first", "first"), text_column("second", "second"),
                       number_column("first_accuracy", "first", "", 6),
                       number_column("second_accuracy", "second", "", 6),
                       number_column("difference", "difference", "", 6),
                       number_column("items", "items", "", 0), text_column("verdict", "verdict")})};
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

std::vector<Table> make(const std::vector<LoadedRecord>& records, const TableOptions& options) {
  for (const auto& name : options.by) {
    require_attribute(records, name);
  }
  std::vector<const LoadedRecord*> scored;
  std::vector<const LoadedRecord*> inferred;
  std::vector<LeftOutRun> left_out;
  for (const auto& loaded : records) {
    const auto& header = loaded.record.header;
    if (header.outcome.view() != "complete") {
      left_out.push_back({loaded.path, fault_of(loaded.record)});
    } else if (!score(loaded.record, "accuracy")) {
      left_out.push_back({loaded.path, "says no accuracy"});
    } else {
      scored.push_back(&loaded);
      if (infers(loaded.record)) {
        inferred.push_back(&loaded);
      }
    }
  }
  return not_empty({scores_of(across_devices(scored, options.by, free_in_accuracy), options.by),
                    check_of(across_devices(inferred, options.by, free_in_check), options.by),
                    left_out_table(left_out)});
}

}  // namespace

TableSpec accuracy() {
  return {.summary = "accuracy and other scores by model and device; whether devices agree",
          .make = make};
}

}  // namespace epochcast::tables
