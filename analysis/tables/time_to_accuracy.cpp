// How long a training takes to its target accuracy: epochs and seconds, the median over
// seeds. A run that did not get there has taken longer than it ran, and counts so.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "analysis/groups/excluded_runs.hpp"
#include "analysis/records/best_metric.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/target.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/table.hpp"
#include "src/record/comparable.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::tables {
namespace {

/// A run and how it came out.
struct Attempt {
  const LoadedRecord* loaded;
  AccuracyTarget target;
  std::optional<Reached> reached;
};

/// Runs that differ only in the seed.
struct Group {
  std::vector<std::string> by;
  std::string allocation;
  std::string device;
  std::string source;
  run::ParameterValues parameters;
  std::vector<Attempt> attempts;

  auto key() const { return std::tie(by, allocation, device, source, parameters); }
};

/// One that was stopped early counts: it had not got there yet.
std::string fault(const record::Record& record) {
  if (!target_of(record)) {
    return "had no target accuracy";
  }
  const bool stopped = record::outcome_of(record.header) == run::Outcome::stopped;
  if (auto own = stopped ? fault_of_attempt(record) : fault_of(record); !own.empty()) {
    return own;
  }
  return best_accuracy(record) ? "" : "none of its epochs was evaluated";
}

Group group_of(const LoadedRecord& loaded, const std::vector<std::string>& by) {
  const auto& record = loaded.record;
  Group group{
      .by = attributes(record, by),
      .allocation = record.header.allocation.str(),
      .device = device_of(record),
      .source = record.header.source.str(),
      .parameters = parameters_without(
          record, record::names_of({run::ParameterRole::repeat, run::ParameterRole::place})),
      .attempts = {}};
  const auto target = *target_of(record);
  group.attempts.push_back({&loaded, target, reached(record, target)});
  return group;
}

/// The median where those that did not reach the target took longer than all that did; nothing
/// where it is one of them.
template <class Ask>
table::Cell median_of(const Group& group, Ask ask) {
  std::vector<double> values;
  for (const auto& attempt : group.attempts) {
    values.push_back(attempt.reached ? ask(*attempt.reached)
                                     : std::numeric_limits<double>::infinity());
  }
  const double median = summarize(values)->median;
  return median < std::numeric_limits<double>::infinity() ? table::Cell(median) : table::Cell();
}

/// Largest minus smallest of those that reached it, if there are several.
table::Cell spread_of(const Group& group) {
  std::vector<double> values;
  for (const auto& attempt : group.attempts) {
    if (attempt.reached) {
      values.push_back(attempt.reached->training_s);
    }
  }
  return table::spread_cell(summarize(values));
}

std::vector<table::Column> group_columns(const std::vector<std::string>& by) {
  return table::columns_by(
      table::text_column("allocation", "allocation"), by,
      {table::text_column("device", "device"), table::text_column("source", "source"),
       table::number_column("ranks", "ranks", "", 0),
       table::number_column("batch", "batch each", "", 0),
       table::number_column("target_accuracy", "target", "", table::shortest_exact),
       table::number_column("patience", "patience", "", 0)});
}

table::Row group_cells(const Group& group) {
  const auto& attempt = group.attempts.front();
  const auto& record = attempt.loaded->record;
  return table::row_by(group.allocation, group.by,
                       {group.device, group.source, static_cast<double>(ranks_of(record)),
                        table::cell_of(parse_double(record::parameter(record, "batch"))),
                        attempt.target.accuracy, static_cast<double>(attempt.target.patience)});
}

table::Table medians_of(const std::vector<Group>& groups, const std::vector<std::string>& by) {
  table::Table table{.name = "time_to_accuracy",
                     .title = "Time to the target accuracy",
                     .columns = group_columns(by)};
  const std::vector<table::Column> rest{table::number_column("runs", "runs", "", 0),
                                        table::number_column("reached", "reached", "", 0),
                                        table::number_column("epochs", "epochs", "", 1),
                                        table::number_column("training_s", "training", "s", 1),
                                        table::number_column("training_spread_s", "spread", "s", 1),
                                        table::number_column("wall_s", "with evaluation", "s", 1)};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  for (const auto& group : groups) {
    auto& row = table.rows.emplace_back(group_cells(group));
    const auto got_there = std::ranges::count_if(
        group.attempts, [](const Attempt& attempt) { return attempt.reached.has_value(); });
    row.insert(row.end(),
               {static_cast<double>(group.attempts.size()), static_cast<double>(got_there),
                median_of(group, [](const Reached& r) { return static_cast<double>(r.epochs); }),
                median_of(group, [](const Reached& r) { return r.training_s; }), spread_of(group),
                median_of(group, [](const Reached& r) { return r.wall_s; })});
  }
  table.notes.emplace_back(
      "medians over all runs; a run that did not reach the target counts as longer than any that "
      "did "
      "(no median if half of the runs did not); the time ends after the epoch that completed the "
      "patience; training: without evaluation");
  return table;
}

table::Table runs_of(const std::vector<Group>& groups, const std::vector<std::string>& by) {
  table::Table table{.name = "runs", .title = "Every run", .columns = group_columns(by)};
  const std::vector<table::Column> rest{
      table::text_column("point", "point"),
      table::text_column("seed", "seed"),
      table::text_column("repeat", "repeat"),
      table::text_column("reached", "reached"),
      table::number_column("epochs", "epochs", "", 0),
      table::number_column("training_s", "training", "s", 1),
      table::number_column("best_accuracy", "best accuracy", "", 4),
      table::text_column("outcome_text", "why it ended")};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  for (const auto& group : groups) {
    for (const auto& attempt : group.attempts) {
      const auto& record = attempt.loaded->record;
      double ran_s = 0;
      for (const auto& epoch : record.epochs) {
        ran_s += epoch.wall_s;
      }
      auto& row = table.rows.emplace_back(group_cells(group));
      row.insert(row.end(),
                 {record.header.point.str(), record::parameter(record, "seed"),
                  record::parameter(record, "repeat"), attempt.reached ? "yes" : "no",
                  static_cast<double>(attempt.reached ? attempt.reached->epochs
                                                      : std::ssize(record.epochs)),
                  attempt.reached ? attempt.reached->training_s : ran_s,
                  table::cell_of(best_accuracy(record)), record.header.outcome_text.str()});
    }
  }
  return table;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  for (const auto& name : options.by) {
    require_attribute(records, name);
  }
  std::vector<Group> groups;
  std::vector<ExcludedRun> excluded;
  for (const auto& loaded : records) {
    if (const auto why = fault(loaded.record); !why.empty()) {
      excluded.push_back({loaded.path, why});
      continue;
    }
    auto group = group_of(loaded, options.by);
    const auto same = std::ranges::find_if(
        groups, [&](const Group& other) { return other.key() == group.key(); });
    if (same == groups.end()) {
      groups.push_back(std::move(group));
    } else {
      same->attempts.push_back(group.attempts.front());
    }
  }
  std::ranges::stable_sort(groups, {}, [](const Group& group) {
    return ranks_of(group.attempts.front().loaded->record);
  });
  auto runs = runs_of(groups, options.by);
  return not_empty({medians_of(groups, options.by), std::move(runs), excluded_table(excluded)});
}

}  // namespace

TableSpec time_to_accuracy() {
  return {.summary = "epochs and seconds to the target accuracy, the median over seeds",
          .make = make,
          .answer = {7}};
}

}  // namespace epochcast::analysis::tables
