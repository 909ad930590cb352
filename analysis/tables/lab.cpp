// The lab's own table: one epoch times N against what N epochs really took, on every allocation;
// below it the ratios between allocations as their hardware promises them and as they were, and
// every run that was left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/groups/run_groups.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/table_parts/ratios.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis::tables {
namespace lab_table {

/// Errors of less, in %, are called right.
constexpr double right_percent = 0.5;

std::optional<double> median_s(const std::vector<double>& values) {
  const auto summary = summarize(values);
  return summary ? std::optional(summary->median) : std::nullopt;
}

/// The recorded time of one epoch, with its evaluation.
std::optional<double> epoch_s(const record::Record& record, std::int64_t epoch) {
  const auto found = std::ranges::find(record.epochs, epoch, &record::Epoch::epoch);
  return found == record.epochs.end() ? std::nullopt
                                      : std::optional(found->wall_s + found->evaluate_s);
}

/// The mean time of the epochs after the first, in seconds, by median over the runs of `epochs`
/// epochs: from the recorded epochs; where a run holds only its total, what that leaves after a run
/// of 1 epoch. Nothing for 1 epoch, or without a total.
std::optional<double> later_epoch_s(const RunGroup& group, std::int64_t epochs) {
  std::vector<double> values;
  const auto one = group.total_s(1);
  for (const auto* run : epochs > 1 ? group.runs(epochs) : std::vector<const record::Record*>()) {
    auto first_s = epoch_s(*run, 0);
    if (!first_s && one) {
      first_s = one->median;
    }
    const auto total = total_training_s(*run);
    if (first_s && total) {
      values.push_back((*total - *first_s) / static_cast<double>(epochs - 1));
    }
  }
  return median_s(values);
}

/// The time of the last epoch, by median over the runs that recorded it.
std::optional<double> last_epoch_s(const RunGroup& group, std::int64_t epochs) {
  const auto values =
      known_values(group.runs(epochs), [&](const auto* run) { return epoch_s(*run, epochs - 1); });
  return median_s(values);
}

/// One row of the rule: an allocation and a number of epochs.
struct Outcome {
  const RunGroup* group;
  std::int64_t epochs;
  double predicted_s;
  double actual_s;

  double error_percent() const { return 100 * (predicted_s / actual_s - 1); }
};

std::vector<Outcome> outcomes_of(const std::vector<RunGroup>& groups) {
  std::vector<Outcome> outcomes;
  for (const auto& group : groups) {
    for (const auto& [epochs, runs] : group.by_epochs) {
      if (const auto predicted = group.predicted_s(epochs)) {
        outcomes.push_back({&group, epochs, *predicted, group.total_s(epochs)->median});
      }
    }
  }
  return outcomes;
}

/// "-3.1 to -2.6 %".
std::string range_text(const std::vector<const Outcome*>& outcomes) {
  const auto errors =
      mapped(outcomes, [](const auto* outcome) { return outcome->error_percent(); });
  const auto [low, high] = std::ranges::minmax(errors);
  const auto first = fmt::format("{:+.1f}", std::abs(low) < std::abs(high) ? low : high);
  const auto last = fmt::format("{:+.1f}", std::abs(low) < std::abs(high) ? high : low);
  return first == last ? first + " %" : fmt::format("{} to {} %", first, last);
}

/// "too short on cpu2, cpu16 (-2.6 to -3.1 %)"; "" without such an outcome.
template <class Is>
std::string verdict_text(const std::vector<Outcome>& outcomes, std::string_view verdict, Is is) {
  std::vector<const Outcome*> found;
  std::vector<std::string> names;
  for (const auto& outcome : outcomes) {
    if (is(outcome.error_percent())) {
      found.push_back(&outcome);
      if (std::ranges::find(names, outcome.group->label()) == names.end()) {
        names.push_back(outcome.group->label());
      }
    }
  }
  return found.empty()
             ? ""
             : fmt::format("{} on {} ({})", verdict, join(names, ", "), range_text(found));
}

/// What makes the difference: 1 epoch x N is too long by N times what 1 epoch takes more than the
/// mean epoch.
std::string reason_of(const Outcome& outcome) {
  const auto later = later_epoch_s(*outcome.group, outcome.epochs);
  const double one_s = outcome.group->total_s(1)->median;
  if (!later) {
    return "";
  }
  const double more_s = one_s - *later;
  return fmt::format(": the run of 1 epoch took {} s, the later epochs {} s each ({} s {})",
                     format_fixed(one_s, 1), format_fixed(*later, 1),
                     format_fixed(std::abs(more_s), 1), more_s > 0 ? "less" : "more");
}

/// "1h32m", "25m28s", "33.4s".
std::string clock_text(double seconds) {
  return seconds < 60 ? format_fixed(seconds, 1) + "s"
                      : format_duration(seconds < 3600 ? std::round(seconds)
                                                       : std::round(seconds / 60) * 60);
}

std::string line_of(const Outcome& outcome) {
  return fmt::format("{}: 1 epoch × {} is {}, {} epochs took {} ({:+.1f} %){}",
                     outcome.group->label(), outcome.epochs, clock_text(outcome.predicted_s),
                     outcome.epochs, clock_text(outcome.actual_s), outcome.error_percent(),
                     reason_of(outcome));
}

/// In sentences: on which allocations the rule "1 epoch x N" is too short, on which too long, and a
/// line for each with both times in hours and minutes and the reason. Empty without a forecast.
std::vector<std::string> rule_notes(const std::vector<RunGroup>& groups) {
  const auto outcomes = outcomes_of(groups);
  if (outcomes.empty()) {
    return {};
  }
  std::vector<std::string> parts{
      verdict_text(outcomes, "too short", [](double error) { return error < -right_percent; }),
      verdict_text(outcomes, "too long", [](double error) { return error > right_percent; }),
      verdict_text(outcomes, "right",
                   [](double error) { return std::abs(error) <= right_percent; })};
  std::erase(parts, "");
  std::vector<std::string> notes{"1 epoch × N is " + join(parts, "; ")};
  for (const auto& outcome : outcomes) {
    notes.push_back(line_of(outcome));
  }
  return notes;
}

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
  const auto values = known_values(runs, [&](const auto* run) { return ask(*run); });
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

/// A group for N = `epochs`; N = 1 where it has nothing longer.
struct LabRow {
  const RunGroup* group;
  std::int64_t epochs;
  std::optional<Summary> one;
  std::optional<Summary> many;
  std::optional<double> predicted_s;

  LabRow(const RunGroup& of, std::int64_t count)
      : group(&of),
        epochs(count),
        one(of.total_s(1)),
        many(count == 1 ? std::nullopt : of.total_s(count)),
        predicted_s(of.predicted_s(count)) {}

  std::optional<std::int64_t> longer() const { return many ? std::optional(epochs) : std::nullopt; }
  std::optional<double> error_percent() const {
    return predicted_s ? std::optional((*predicted_s / many->median - 1) * 100) : std::nullopt;
  }
  std::optional<double> later_s() const { return later_epoch_s(*group, epochs); }
  std::optional<double> last_s() const {
    return many ? last_epoch_s(*group, epochs) : std::nullopt;
  }
};

std::vector<LabRow> rows_of(const Study& study) {
  std::vector<LabRow> rows;
  for (const auto& group : study.groups) {
    const auto longest = group.by_epochs.rbegin()->first;
    for (const auto& [epochs, runs] : group.by_epochs) {
      if (epochs != 1 || longest == 1) {
        rows.emplace_back(group, epochs);
      }
    }
  }
  return rows;
}

/// How often a time was measured, and how far the repeats lie apart.
table::Columns<std::optional<Summary>> repeat_columns(const std::string& key,
                                                      const std::string& of) {
  return {{key + "_runs", "runs of " + of, "", 0,
           [](const auto& summary) { return summary ? summary->n : 0; }, table::as_detail},
          {key + "_spread_s", "spread of " + of, "s", 1, table::spread_cell, table::as_detail}};
}

/// The four columns of the study, then the details.
table::Columns<LabRow> columns_of(const Study& study) {
  const auto common = common_epochs(study);
  const auto count = common > 0 ? fmt::format("{}", common) : "N";
  const auto detail_if = [](bool is) { return is ? table::Look::detail : table::Look::plain; };
  table::Columns<RunGroup> group{{"allocation", "allocation", &RunGroup::allocation}};
  group.add_each(study.by, &RunGroup::by);
  if (is_swept(study)) {
    group.add({"chosen", "chosen", &RunGroup::chosen});
  }
  table::Columns<LabRow> columns;
  columns.add(group, &LabRow::group)
      .add({{"epochs", "N", "", 0, &LabRow::longer, detail_if(common > 0)},
            {"one_epoch_s", "1 epoch", "s", 1,
             [](const auto& row) { return table::median_cell(row.one); }},
            {"predicted_s", "×" + count + " predicted", "s", 1, &LabRow::predicted_s},
            {"n_epochs_s", count + " epochs", "s", 1,
             [](const auto& row) { return table::median_cell(row.many); }},
            {"error_percent", "error", "%", 1, &LabRow::error_percent, table::with_sign},
            {"source", "source", [](const auto& row) { return row.group->source; },
             detail_if(std::ranges::all_of(
                 study.groups, [](const auto& one) { return one.source == "measured"; }))},
            {"later_epoch_s", "later epoch", "s", 1, &LabRow::later_s, table::as_detail},
            {"last_epoch_s", "last epoch", "s", 1, &LabRow::last_s, table::as_detail},
            {"device", "device", [](const auto& row) { return row.group->device; },
             table::as_detail}})
      .add(repeat_columns("one_epoch", "1"), &LabRow::one)
      .add(repeat_columns("n_epochs", "N"), &LabRow::many)
      .add({"examples_per_s", "examples", "1/s", 1,
            [](const auto& row) {
              return median_of(row.group->runs(row.epochs), last_examples_per_s);
            },
            table::as_detail});
  for (const bool first : {true, false}) {
    for (const auto& loss : loss_names(study)) {
      columns.add(
          {loss + "_after_" + (first ? "1" : "N"), loss + " after " + (first ? "1" : "N"), "", 3,
           [first, loss](const auto& row) {
             const auto after = first ? 1 : row.epochs == 1 ? 0 : row.epochs;
             return median_of(row.group->runs(after),
                              [&](const record::Record& run) { return last_metric(run, loss); });
           },
           table::as_detail});
    }
  }
  return columns;
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
    append(remarks, group.hardware_remarks());
    if (const auto had = cpus_of(record); had < cpus_asked(record)) {
      remarks.push_back(fmt::format("{}: computed on {} of the {} CPUs it requested",
                                    group.allocation, had, cpus_asked(record)));
    }
  }
  return remarks;
}

table::Table times_of(const Study& study) {
  auto table = table::make_table("lab", "Predicted (1 epoch × N) and actual run time",
                                 columns_of(study), rows_of(study));
  table.notes = rule_notes(study.groups);
  table.notes.emplace_back(
      "times: training with evaluation and sample pictures, without the scan of the data set and "
      "checkpoints");
  if (is_swept(study)) {
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
  if (std::ranges::any_of(study.groups, [](const RunGroup& group) {
        return std::ranges::any_of(group.by_epochs,
                                   [](const auto& of) { return of.second.size() > 1; });
      })) {
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

}  // namespace lab_table

TableSpec lab() {
  return {
      .summary = "1 epoch × N against N epochs, and the ratios between allocations, as in the lab",
      .make = lab_table::make,
      .rows = record::Rows::without_steps,
      .answer = {1, "error_percent", 1}};
}

}  // namespace epochcast::analysis::tables
