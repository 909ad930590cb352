#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/advise/advice.hpp"
#include "jobs/plan/pilots.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/queue/use_shares.hpp"

namespace epochcast::jobs {
namespace {

/// Rounded for readers: whole seconds, from ten minutes on whole minutes.
std::string rough(double seconds) {
  const double step_s = seconds < 600 ? 1 : 60;
  return std::isfinite(seconds) ? format_duration(step_s * std::round(seconds / step_s))
                                : "an unknown time";
}

using Costs = std::vector<std::optional<double>>;

/// Time to result and every cost; lower is better.
Costs costs_of(const AdviceRow& row, bool all_priced) {
  Costs costs{row.result_s->value, row.energy_j};
  if (all_priced) {
    costs.push_back(row.money);
  } else {
    costs.push_back(row.usage.cpu_hours);
    costs.push_back(row.usage.gpu_hours);
  }
  return costs;
}

bool dominates(const Costs& a, const Costs& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] && b[i]) {
      if (*a[i] > *b[i]) {
        return false;
      }
      better = better || *a[i] < *b[i];
    } else if (b[i]) {
      return false;  // not known to be as good
    }
  }
  return better;
}

bool all_priced_alike(const std::vector<AdviceRow>& rows) {
  return std::ranges::all_of(rows, [&](const AdviceRow& row) {
    return !row.result_s ||
           (row.money && row.site.prices.currency == rows.front().site.prices.currency);
  });
}

void mark_pareto(std::vector<AdviceRow>& rows) {
  const bool priced = all_priced_alike(rows);
  for (auto& row : rows) {
    row.pareto =
        row.result_s && std::ranges::none_of(rows, [&](const AdviceRow& other) {
          return other.result_s && dominates(costs_of(other, priced), costs_of(row, priced));
        });
  }
}

/// Money if all have a price; else CPU-hours and GPU-hours cannot be added, and time decides.
double price_of(const AdviceRow& row, bool priced) {
  return priced && row.money ? *row.money : row.result_s->value;
}

bool may_be_chosen(AdviceRow& row, const Wishes& wishes) {
  if (!row.wait.problem.empty()) {
    row.verdict = row.wait.problem;
  } else if (!row.run.is_known()) {
    row.verdict = "its run time is not known";
  } else if (row.pieces.count == 0) {
    row.verdict = row.limit_detail + ", which leaves no time before the signal";
  } else if (const auto text = too_little_memory(row); text.starts_with("needs")) {
    row.verdict = text;
  } else if (!row.result_s) {
    row.verdict = "its wait is not known";
  } else if (wishes.budget && !row.money_high) {
    row.verdict = "it has no price, so the budget cannot be kept";
  } else if (wishes.budget && *row.money_high > *wishes.budget) {
    row.verdict = "it may cost more than the budget";
  }
  return row.verdict.empty();
}

std::string cost_text(const AdviceRow& row) {
  return row.money ? fmt::format(", {} {}", format_shortest(std::round(*row.money * 100) / 100),
                                 row.site.prices.currency)
                   : "";
}

/// "choose X: result in 12m (10m to 15m, 80 %), of which 2m waiting".
std::string choice_text(const AdviceRow& row) {
  const auto& result = *row.result_s;
  return fmt::format(
      "choose {}: result in {} ({} to {}, 80 %), of which {} waiting{}", row.site.name,
      rough(result.value), rough(result.interval_80.low), rough(result.interval_80.high),
      rough(row.wait.chosen->wait_s.value * static_cast<double>(row.pieces.count)), cost_text(row));
}

/// How it compares with the next.
std::string reason_text(const AdviceRow& best, const std::vector<AdviceRow*>& considered) {
  const AdviceRow* next = nullptr;
  for (const auto* row : considered) {
    if (row != &best && (next == nullptr || row->result_s->value < next->result_s->value)) {
      next = row;
    }
  }
  if (next == nullptr) {
    return "; the only allocation that can be compared";
  }
  const double apart_s = next->result_s->value - best.result_s->value;
  const bool overlap = next->result_s->interval_80.low < best.result_s->interval_80.high;
  return apart_s >= 0 ? fmt::format("; {} is {} slower{}", next->site.name, rough(apart_s),
                                    overlap ? ", within the intervals" : "")
                      : fmt::format("; {} would be {} faster", next->site.name, rough(-apart_s));
}

/// A draw of a number with this median and 80 % interval: two halves of normal distributions.
double draw_of(const forecast::Prediction& of, Random& random) {
  constexpr double upper_80 = 1.2815515655446004;  // quantile 0.9 of the normal distribution
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  const double normal = radius * std::cos(2 * std::acos(-1.0) * random.uniform());
  const double side_s = normal < 0 ? of.value - of.interval_80.low : of.interval_80.high - of.value;
  return std::max(0.0, of.value + normal * side_s / upper_80);
}

/// The time to result that knowing the run time of `row` saves in the mean, if the alternative
/// takes `other_s`: the alternative is taken instead where the chosen row is slower, the row where
/// it is faster.
double value_s(const AdviceRow& row, double other_s) {
  constexpr int draws = 4000;
  Random random(3);  // the same advice each time
  const double rest_s = row.result_s->value - row.run.time_s.value;
  double saved_s = 0;
  for (int i = 0; i < draws; ++i) {
    const double faster_s = other_s - (rest_s + draw_of(row.run.time_s, random));
    saved_s += std::max(0.0, row.chosen ? -faster_s : faster_s);
  }
  return saved_s / draws;
}

/// A pilot for an allocation whose run time is not known; `best`: nullptr if nothing was chosen.
std::string unknown_pilot_text(const AdviceRow& row, const AdviceRow* best) {
  const double wait_s = row.wait.chosen->wait_s.value;
  const auto text = fmt::format("a pilot of {} epochs on {} (wait {}): its run time is not known; ",
                                pilot_epochs(0, best == nullptr ? 0 : best->run.epochs),
                                row.site.name, rough(wait_s));
  if (best == nullptr) {
    return text + "it would make a comparison possible";
  }
  const double left_s = best->result_s->value - wait_s;
  return left_s > 0 ? fmt::format("{}{} would be faster if the run takes less than {} there", text,
                                  row.site.name, rough(left_s))
                    : "";
}

/// A longer pilot where one was recorded; "" if it cannot change the choice.
std::string longer_pilot_text(const AdviceRow& row, double other_s) {
  // The scatter of a mean falls with the square root of the epochs: four times as many halve it.
  const auto epochs = std::min(row.run.epochs, 4 * row.run.recorded_epochs);
  const double value = value_s(row, other_s);
  if (value < 1 || epochs <= row.run.recorded_epochs) {
    return "";
  }
  const double pilot_s = row.wait.chosen->wait_s.value + row.run.time_s.value *
                                                             static_cast<double>(epochs) /
                                                             static_cast<double>(row.run.epochs);
  return fmt::format(
      "a pilot of {} epochs on {} ({} with its wait) would about halve the interval of its run "
      "time; knowing it exactly saves {} of the time to result in the mean, {} than the pilot "
      "takes",
      epochs, row.site.name, rough(pilot_s), rough(value), value > pilot_s ? "more" : "less");
}

}  // namespace

std::string choose(std::vector<AdviceRow>& rows, const Wishes& wishes) {
  std::vector<AdviceRow*> considered;
  for (auto& row : rows) {
    if (may_be_chosen(row, wishes)) {
      considered.push_back(&row);
    }
  }
  mark_pareto(rows);
  if (considered.empty()) {
    return "no allocation can be chosen: see the column 'remark', and run a pilot ('epochcast-jobs "
           "plan')";
  }
  const bool priced = all_priced_alike(rows);
  const auto in_time = [&](const AdviceRow* row) {
    return !wishes.deadline_s || row->result_s->interval_80.high <= *wishes.deadline_s;
  };
  const bool any_in_time = std::ranges::any_of(considered, in_time);
  AdviceRow* best = nullptr;
  const auto key = [&](const AdviceRow* row) {
    return wishes.deadline_s && any_in_time ? price_of(*row, priced) : row->result_s->value;
  };
  for (auto* row : considered) {
    if ((in_time(row) || !any_in_time) && (best == nullptr || key(row) < key(best))) {
      best = row;
    }
  }
  best->chosen = true;
  auto text = choice_text(*best) + reason_text(*best, considered);
  if (wishes.deadline_s) {
    text += any_in_time
                ? fmt::format("; the {} of those that end before the deadline in 90 of 100 cases",
                              priced ? "cheapest" : "fastest")
                : std::string("; none ends before the deadline for certain (90 of 100 cases)");
  }
  return text;
}

std::vector<std::string> worthwhile_pilots(const std::vector<AdviceRow>& rows) {
  const auto chosen = std::ranges::find_if(rows, &AdviceRow::chosen);
  const auto* best = chosen == rows.end() ? nullptr : &*chosen;
  double next_s = HUGE_VAL;
  for (const auto& row : rows) {
    if (row.result_s && row.verdict.empty() && !row.chosen) {
      next_s = std::min(next_s, row.result_s->value);
    }
  }
  // Where a deadline made a slower one the choice, time saved says nothing.
  const bool by_time = best != nullptr && best->result_s->value <= next_s;
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    if (!row.wait.problem.empty() || !row.wait.chosen) {
      continue;
    }
    if (!row.run.is_known()) {
      line = unknown_pilot_text(row, best);
    } else if (row.result_s && by_time && row.run.recorded_epochs > 0 && std::isfinite(next_s)) {
      line = longer_pilot_text(row, row.chosen ? next_s : best->result_s->value);
    }
    if (!line.empty()) {
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace epochcast::jobs
