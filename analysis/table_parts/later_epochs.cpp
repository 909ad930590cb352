#include "analysis/table_parts/later_epochs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/records/record_metrics.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis {
namespace {

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

}  // namespace

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

std::optional<double> last_epoch_s(const RunGroup& group, std::int64_t epochs) {
  const auto values =
      known_values(group.runs(epochs), [&](const auto* run) { return epoch_s(*run, epochs - 1); });
  return median_s(values);
}

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

}  // namespace epochcast::analysis
