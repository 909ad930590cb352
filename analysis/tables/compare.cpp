// Whether the same work takes longer with other code, libraries, nodes or another day: its time of
// a step on two sides (analysis/groups/change.hpp), and what else differed between them.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "analysis/groups/change.hpp"
#include "analysis/groups/undisturbed.hpp"
#include "analysis/records/disturbed.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/comparable.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::tables {
namespace compare_table {

using Sides = std::pair<std::vector<const record::Record*>, std::vector<const record::Record*>>;

/// What both sides have in common, "dcgan batch=64 on cpu2".
struct Work {
  std::string name;
  run::ParameterValues parameters;
  std::string allocation;
  std::string device;
  auto operator<=>(const Work&) const = default;
};

struct Comparison {
  const Work* work;
  const Sides* sides;
  std::string unit;  ///< "step" or "epoch"
  std::vector<RunLevel> base;
  std::vector<RunLevel> changed;
  Change change;
};

struct Difference {
  std::string work;
  std::string what;
  std::string base;
  std::string changed;
};

std::vector<LoadedRecord> records_in(const std::vector<std::string>& paths,
                                     const TableOptions& options) {
  auto [records, damaged] = load_and_report(paths);
  if (options.damaged != nullptr) {
    options.damaged->insert(options.damaged->end(), damaged.begin(), damaged.end());
  }
  if (records.empty()) {
    throw Error("no record could be read of " + join(paths, ", "), exit_failed);
  }
  return records;
}

/// The records of one side: of its paths, or of `common` those that obey its conditions.
std::vector<LoadedRecord> side_of(const std::string& option, const std::vector<std::string>& words,
                                  const std::vector<LoadedRecord>& common,
                                  const TableOptions& options) {
  if (words.empty()) {
    throw Error(
        fmt::format("{} is missing: a folder of records, or NAME=VALUE of RECORDS", option));
  }
  if (common.empty()) {
    return records_in(words, options);
  }
  auto records = filtered(common, words);
  if (records.empty()) {
    throw Error(fmt::format("{}: no record obeys {}", option, join(words, " and ")));
  }
  return records;
}

/// Without the runs whose times say nothing, which go to `excluded`.
std::vector<LoadedRecord> usable(const std::vector<LoadedRecord>& records,
                                 std::vector<ExcludedRun>& excluded) {
  const auto disturbed = undisturbed(records);
  excluded.insert(excluded.end(), disturbed.excluded.begin(), disturbed.excluded.end());
  std::vector<LoadedRecord> kept;
  for (const auto& loaded : records_without(records, disturbed.left_out)) {
    const auto outcome = outcome_of(loaded.record.header);
    auto fault = record::fault_of_attempt(loaded.record);
    if (outcome != run::Outcome::complete && outcome != run::Outcome::stopped) {
      fault = record::fault_of(loaded.record);
    }
    if (fault.empty()) {
      kept.push_back(loaded);
    } else {
      excluded.push_back({loaded.path, fault});
    }
  }
  return kept;
}

/// Without what is meant to differ: the names in the conditions of the two sides, and the command
/// line, whose settings are parameters of their own.
Work work_of_run(const record::Record& record, const std::set<std::string>& free) {
  const auto unless_free = [&](const std::string& name, std::string value) {
    return free.contains(name) ? "" : std::move(value);
  };
  Work work{.name = workload_of(record),
            .parameters = record::step_parameters(record),
            .allocation = unless_free("allocation", record.header.allocation.str()),
            .device = unless_free("device", device_of(record))};
  work.parameters.erase("command");
  for (const auto& name : free) {
    work.parameters.erase(name);
  }
  return work;
}

std::vector<double> epochs_s(const record::Record& record) {
  std::vector<double> times;
  for (std::size_t i = 1; i < record.epochs.size(); ++i) {
    times.push_back(record.epochs[i].wall_s);
  }
  return times;
}

using Times = std::vector<double> (*)(const record::Record&);

std::vector<RunLevel> levels_of(const std::vector<const record::Record*>& records, Times times) {
  return known_values(records,
                      [&](const record::Record* record) { return run_level(times(*record)); });
}

/// By steps where each side recorded some, else by epochs; nothing without times.
std::optional<Comparison> compared(const Work& work, const Sides& sides) {
  for (const auto& [unit, times] :
       {std::pair<const char*, Times>{"step", steady_steps_s}, {"epoch", epochs_s}}) {
    const auto base = levels_of(sides.first, times);
    const auto changed = levels_of(sides.second, times);
    if (!base.empty() && !changed.empty()) {
      return Comparison{&work, &sides, unit, base, changed, change_between(base, changed)};
    }
  }
  return std::nullopt;
}

/// The values of a side, each once, in alphabetical order.
template <class Value>
std::string values_of(const std::vector<const record::Record*>& records, Value value) {
  std::set<std::string> values;
  for (const auto* record : records) {
    values.insert(value(*record));
  }
  values.erase("");
  return join({values.begin(), values.end()}, ", ");
}

using FieldText = std::pair<std::string, std::function<std::string(const record::Record&)>>;

std::string of_machine(const record::Record& record, auto field) {
  return record.machines.empty() ? "" : (record.machines.front().*field).str();
}

const std::vector<FieldText>& texts_that_may_differ() {
  using record::Machine;
  using record::Record;
  static const std::vector<FieldText> texts{
      {"revision of the program", [](auto& of) { return of.header.program_revision.str(); }},
      {"command", [](auto& of) { return record::parameter(of, "command"); }},
      {"libraries", [](auto& of) { return of_machine(of, &Machine::libraries); }},
      {"node", [](auto& of) { return of_machine(of, &Machine::host); }},
      {"CPU", [](auto& of) { return of_machine(of, &Machine::cpu_model); }},
      {"GPU", [](auto& of) { return of_machine(of, &Machine::gpu_name); }},
      {"GPU driver", [](auto& of) { return of_machine(of, &Machine::gpu_driver); }},
      {"system", [](auto& of) { return of_machine(of, &Machine::system); }},
      {"Epochcast", [](auto& of) { return of.header.tool_revision.str(); }},
      {"day", [](auto& of) { return of.header.created_at.str().substr(0, 10); }}};
  return texts;
}

/// Of records on both sides that have each other's works; the name of a work where there are
/// several is its parameters.
std::vector<Difference> differences(const std::vector<Comparison>& comparisons) {
  std::vector<Difference> rows;
  for (const auto& comparison : comparisons) {
    for (const auto& [what, text] : texts_that_may_differ()) {
      auto base = values_of(comparison.sides->first, text);
      auto changed = values_of(comparison.sides->second, text);
      if (base != changed) {
        rows.push_back({comparison.work->name, what, std::move(base), std::move(changed)});
      }
    }
  }
  return rows;
}

/// The mean of the runs' times, in seconds.
double seconds(const std::vector<RunLevel>& runs) {
  return std::exp(summed(runs, &RunLevel::log_s) / static_cast<double>(runs.size()));
}

table::Columns<Comparison> comparison_columns() {
  const auto percent = [](double Change::*share) {
    return [share](const Comparison& row) { return 100 * row.change.*share; };
  };
  return {
      {"work", "work", [](auto& row) { return row.work->name; }},
      {"allocation", "allocation", [](auto& row) { return row.work->allocation; }},
      {"unit", "time of a", &Comparison::unit},
      {"base_runs", "base runs", "", 0, [](auto& row) { return row.base.size(); }},
      {"new_runs", "new runs", "", 0, [](auto& row) { return row.changed.size(); }},
      {table::scaled_time_column("base_s", "base"), [](auto& row) { return seconds(row.base); }},
      {table::scaled_time_column("new_s", "new"), [](auto& row) { return seconds(row.changed); }},
      {"change_percent", "change", "%", 2, percent(&Change::ratio_less_1), table::with_sign},
      {"low_95_percent", "95% from", "%", 2, percent(&Change::low_95), table::with_sign},
      {"high_95_percent", "to", "%", 2, percent(&Change::high_95), table::with_sign},
      {"verdict", "verdict", [](auto& row) { return row.change.verdict(); }},
      {"slower_percent", "surely slower", "%", 1, percent(&Change::slower), table::as_detail},
      {"further_runs", "further runs", "", 0, [](auto& row) { return row.change.further_runs; }}};
}

std::vector<table::Table> make(const std::vector<std::string>& files, const TableOptions& options) {
  std::vector<LoadedRecord> common;
  std::set<std::string> free;
  if (!files.empty()) {
    common = filtered(records_in(files, options), options.filter);
    for (const auto& words : {options.base, options.changed}) {
      for (const auto& condition : words) {
        free.insert(condition.substr(0, condition.find('=')));
      }
    }
  }
  std::vector<ExcludedRun> excluded;
  const auto base = usable(side_of("--base", options.base, common, options), excluded);
  const auto changed = usable(side_of("--new", options.changed, common, options), excluded);
  std::map<Work, Sides> works;
  for (const auto& loaded : base) {
    works[work_of_run(loaded.record, free)].first.push_back(&loaded.record);
  }
  for (const auto& loaded : changed) {
    works[work_of_run(loaded.record, free)].second.push_back(&loaded.record);
  }
  std::vector<Comparison> comparisons;
  for (const auto& [work, sides] : works) {
    if (auto comparison = compared(work, sides)) {
      comparisons.push_back(std::move(*comparison));
    }
  }
  if (comparisons.empty()) {
    const auto why = base.empty() || changed.empty()
                         ? std::string("a side has no run whose times may be compared")
                         : record::difference(record::step_parameters(changed.front().record),
                                              record::step_parameters(base.front().record),
                                              "of the first runs; expected the same work");
    throw Error("--base and --new have no work in common: " + why);
  }
  auto table = table::make_table("compare", "New beside base", comparison_columns(), comparisons);
  table::add_note(
      table, fmt::format("between runs of the same work, a standard deviation of about {} % is "
                         "assumed as long as repeats do not show another",
                         100 * run_deviation));
  table::add_note(
      table, "further runs: of both sides together, which would decide if the change is as seen");
  const table::Columns<Difference> columns{{"work", "work", &Difference::work},
                                           {"what", "what", &Difference::what},
                                           {"base", "base", &Difference::base},
                                           {"new", "new", &Difference::changed}};
  return not_empty(
      {table,
       table::make_table("differences", "What else differed", columns, differences(comparisons)),
       excluded_table(excluded)});
}

}  // namespace compare_table

TableSpec compare() {
  return {.summary = "the same work before and after a change: slower or faster, and how sure",
          .of_files = compare_table::make,
          .own_options = {"base", "new", "fail-above"},
          .sure_percent = "low_95_percent"};
}

}  // namespace epochcast::analysis::tables
