// How long a training takes to its target accuracy: epochs and seconds, the median over
// seeds. A run that did not get there has taken longer than it ran, and counts so.
#include <algorithm>
#include <limits>
#include <tuple>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/records/best_metric.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/comparable.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::tables {
namespace time_to_accuracy_table {

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
  std::vector<Attempt> attempts = {};

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
          record, record::names_of({run::ParameterRole::repeat, run::ParameterRole::place}))};
  const auto target = *target_of(record);
  group.attempts.push_back({&loaded, target, reached(record, target)});
  return group;
}

/// The median where those that did not reach the target took longer than all that did; nothing
/// where it is one of them.
template <class Ask>
table::Cell median_of(const Group& group, Ask ask) {
  const auto values = mapped(group.attempts, [&](const auto& attempt) {
    return attempt.reached ? ask(*attempt.reached) : std::numeric_limits<double>::infinity();
  });
  const double median = summarize(values)->median;
  return median < std::numeric_limits<double>::infinity() ? table::Cell(median) : table::Cell();
}

/// Largest minus smallest of those that reached it, if there are several.
table::Cell spread_of(const Group& group) {
  const auto reached = known_values(group.attempts, &Attempt::reached);
  return table::spread_cell(summarize(mapped(reached, &Reached::training_s)));
}

table::Columns<Group> group_columns(const std::vector<std::string>& by) {
  const table::Columns<Attempt> first{
      {"ranks", "ranks", "", 0, [](const auto& one) { return ranks_of(one.loaded->record); }},
      {"batch", "batch each", "", 0,
       [](const auto& one) {
         return parse_double(record::parameter(one.loaded->record, "batch"));
       }},
      {"target_accuracy", "target", "", table::shortest_exact,
       [](const auto& one) { return one.target.accuracy; }},
      {"patience", "patience", "", 0, [](const auto& one) { return one.target.patience; }}};
  table::Columns<Group> columns{{"allocation", "allocation", &Group::allocation}};
  return columns.add_each(by, &Group::by)
      .add({{"device", "device", &Group::device}, {"source", "source", &Group::source}})
      .add(first, [](const Group& group) { return &group.attempts.front(); });
}

table::Table medians_of(const std::vector<Group>& groups, const std::vector<std::string>& by) {
  auto columns = group_columns(by);
  columns.add(
      {{"runs", "runs", "", 0, [](const auto& group) { return group.attempts.size(); }},
       {"reached", "reached", "", 0,
        [](const auto& group) {
          return std::ranges::count_if(
              group.attempts, [](const Attempt& attempt) { return attempt.reached.has_value(); });
        }},
       {"epochs", "epochs", "", 1,
        [](const auto& group) {
          return median_of(group, [](const Reached& r) { return static_cast<double>(r.epochs); });
        }},
       {"training_s", "training", "s", 1,
        [](const auto& group) {
          return median_of(group, [](const Reached& r) { return r.training_s; });
        }},
       {"training_spread_s", "spread", "s", 1, spread_of},
       {"wall_s", "with evaluation", "s", 1, [](const auto& group) {
          return median_of(group, [](const Reached& r) { return r.wall_s; });
        }}});
  auto table =
      table::make_table("time_to_accuracy", "Time to the target accuracy", columns, groups);
  table.notes.emplace_back(
      "medians over all runs; a run that did not reach the target counts as longer than any that "
      "did (no median if half of the runs did not); the time ends after the epoch that completed "
      "the patience; training: without evaluation");
  return table;
}

/// How long the run took to its target, or how far it came.
double trained_s(const Attempt& attempt) {
  const auto ran_s = summed(attempt.loaded->record.epochs, &record::Epoch::wall_s);
  return attempt.reached ? attempt.reached->training_s : ran_s;
}

table::Columns<Attempt> attempt_columns() {
  const auto parameter = [](const std::string& name) {
    return [name](const Attempt& one) { return record::parameter(one.loaded->record, name); };
  };
  return {{"point", "point", [](const auto& one) { return one.loaded->record.header.point.str(); }},
          {"seed", "seed", parameter("seed")},
          {"repeat", "repeat", parameter("repeat")},
          {"reached", "reached", [](const auto& one) { return one.reached.has_value(); }},
          {"epochs", "epochs", "", 0,
           [](const auto& one) {
             return one.reached ? one.reached->epochs : std::ssize(one.loaded->record.epochs);
           }},
          {"training_s", "training", "s", 1, trained_s},
          {"best_accuracy", "best accuracy", "", 4,
           [](const auto& one) { return best_accuracy(one.loaded->record); }},
          {"outcome_text", "why it ended",
           [](const auto& one) { return one.loaded->record.header.outcome_text.str(); }}};
}

table::Table runs_of(const std::vector<Group>& groups, const std::vector<std::string>& by) {
  using GroupAttempt = std::pair<const Group*, const Attempt*>;
  std::vector<GroupAttempt> rows;
  for (const auto& group : groups) {
    for (const auto& attempt : group.attempts) {
      rows.emplace_back(&group, &attempt);
    }
  }
  table::Columns<GroupAttempt> columns;
  columns.add(group_columns(by), &GroupAttempt::first)
      .add(attempt_columns(), &GroupAttempt::second);
  return table::make_table("runs", "Every run", columns, rows);
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  require_attributes(records, options.by);
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

}  // namespace time_to_accuracy_table

TableSpec time_to_accuracy() {
  return {.summary = "epochs and seconds to the target accuracy, the median over seeds",
          .make = time_to_accuracy_table::make,
          .answer = {7}};
}

}  // namespace epochcast::analysis::tables
