#include "src/forecast/run/pauses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/statistics/moments.hpp"

namespace epochcast::forecast {
namespace {

/// Pauses of one kind: as long as those seen, without a first one that was far longer.
struct Kind {
  explicit Kind(std::vector<double> seen_s) : seen(std::move(seen_s)) {
    constexpr double far = 2;
    if (seen.size() > 1 && seen.front() > far * *std::max_element(seen.begin() + 1, seen.end())) {
      seen.erase(seen.begin());
    }
    each_s = mean(seen).value_or(0);
  }

  std::vector<double> seen;
  double each_s = 0;

  /// Adds `count` more of them.
  void add(double count, Pauses& pauses) const {
    if (count > 0) {
      pauses.seconds += count * each_s;
      add_noise(count, pauses);
    }
  }

  void add_noise(double count, Pauses& pauses) const {
    if (seen.empty() || count <= 0) {
      return;
    }
    const auto n = static_cast<double>(seen.size());
    const double deviation_s =
        std::sqrt((gap_freedom * square(gap_noise * each_s) + moments_of(seen).squares) /
                  (gap_freedom + n - 1)) *
        std::sqrt(count + count * count / n);
    pauses.above_s = std::hypot(pauses.above_s, deviation_s);
    pauses.below_s = std::hypot(pauses.below_s, std::min(deviation_s, count * each_s));
  }
};

Pauses after_epochs(const RunSeries& series) {
  const double epochs = std::ceil(epochs_asked(series));
  Pauses after{
      .seconds = epochs * series.after_epoch_s,
      .known = series.after_epoch_s > 0 || !(series.steps_per_epoch > 1 || series.of_steps)};
  Kind(series.gaps_s).add_noise(epochs - static_cast<double>(series.gaps_s.size()), after);
  return after;
}

/// Evaluations of which the time is not known: log-normal.
void add_unseen(double count, double each_s, Pauses& pauses) {
  const double all_s = count * each_s;
  pauses.seconds += all_s;
  pauses.above_s = std::hypot(pauses.above_s, all_s * std::expm1(spread_of_evaluations));
  pauses.below_s = std::hypot(pauses.below_s, -all_s * std::expm1(-spread_of_evaluations));
}

/// The work on which schedules count: of blocks, or in epochs.
struct Timeline {
  std::vector<double> done;  ///< After each block or epoch that was measured.
  double before = 0;
  double all = 0;
  double rate = 0;

  double at(std::size_t count) const { return count == 0 ? before : done[count - 1]; }

  /// How many of the schedule have come after `count` blocks: one comes at the end of a block,
  /// which may be a little too early.
  double come(const Schedule& schedule, std::size_t count) const {
    constexpr double part = 0.1;
    const double early =
        count == 0 ? 0 : std::min(part * schedule.every, (at(count) - at(count - 1)) / 2);
    return schedule.count_until(at(count) + early);
  }
};

Timeline timeline_of(const RunSeries& series, double rate) {
  const auto measured = series.of_blocks ? series.step_s.size() : series.gaps_s.size();
  Timeline line{.done = std::vector<double>(measured, 1), .all = series_work(series), .rate = rate};
  if (!series.of_blocks) {
    line.before = series.epochs_before;
    line.all = epochs_asked(series) + series.epochs_before;
    line.rate = rate * series_work(series) / epochs_asked(series);
  } else if (!series.step_work.empty()) {
    line.done = series.step_work;
  }
  double sum = line.before;
  for (auto& done : line.done) {
    done = sum += done;
  }
  return line;
}

/// The pauses seen, by what they have of each schedule.
class Seen {
 public:
  Seen(const std::vector<double>& gaps_s, const Timeline& line,
       const std::vector<Schedule>& schedules)
      : counts_(schedules.size(), 0) {
    std::vector<double> plain_s;
    std::vector<std::size_t> scheduled;
    std::vector<double> in_each;
    for (std::size_t i = 0; i < gaps_s.size(); ++i) {
      double events = 0;
      for (std::size_t k = 0; k < schedules.size(); ++k) {
        const double count = line.come(schedules[k], i + 1) - line.come(schedules[k], i);
        counts_[k] += count;
        events += count;
      }
      if (events == 0) {
        plain_s.push_back(gaps_s[i]);
      } else {
        scheduled.push_back(i);
        in_each.push_back(events);
      }
    }
    plain = Kind(plain_s);
    std::vector<double> event_s;
    for (std::size_t j = 0; j < scheduled.size(); ++j) {
      event_s.push_back(std::max(0.0, gaps_s[scheduled[j]] - plain.each_s) / in_each[j]);
    }
    event = Kind(event_s);
  }

  bool has(std::size_t schedule) const { return counts_[schedule] > 0; }

  Kind plain{{}};  ///< Without any of the schedules,
  Kind event{{}};  ///< and what one of these adds.

 private:
  std::vector<double> counts_;
};

std::string unseen_reason(const Schedule& schedule, double each_s) {
  return fmt::format(
      "what comes after {:.6g} units of work, and every {:.6g} after that, was not seen yet: "
      "{:.3g} "
      "s each is assumed, and the interval is wider",
      schedule.first, schedule.every, each_s);
}

Pauses by_schedule(const RunSeries& series, const Timeline& line) {
  auto schedules = series.schedules;
  if (const auto seen = seen_schedule(series.gaps_s, line.done); schedules.empty() && seen) {
    schedules = {*seen};
  }
  const auto count = series.gaps_s.size();
  const double left = std::max(0.0, std::ceil(epochs_asked(series)) - static_cast<double>(count) -
                                        (series.ends_with_step ? 1 : 0));
  Pauses pauses{.seconds = std::accumulate(series.gaps_s.begin(), series.gaps_s.end(), 0.0)};
  const Seen seen(series.gaps_s, line, schedules);
  seen.plain.add(left, pauses);
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const auto& schedule = schedules[i];
    const double to = line.all - (series.ends_with_step ? schedule.every / 1000 : 0);
    const double ahead = schedule.count_until(to) - line.come(schedule, count);
    const double each_s = schedule.unseen * line.rate * schedule.every;
    if (seen.has(i)) {
      seen.event.add(ahead, pauses);
    } else if (ahead > 0) {
      add_unseen(ahead, each_s, pauses);
      pauses.reasons.push_back(unseen_reason(schedule, each_s));
    }
  }
  pauses.known =
      !schedules.empty() || pauses.seconds > no_pause * line.rate * line.at(line.done.size());
  return pauses;
}

}  // namespace

double epochs_asked(const RunSeries& series) {
  return static_cast<double>(series.epochs) - series.unfinished - series.epochs_before;
}

double series_work(const RunSeries& series) {
  const double per_epoch = series.step_work.empty() ? static_cast<double>(series.steps_per_epoch)
                                                    : series.work_per_epoch;
  const double work = per_epoch * epochs_asked(series);
  return std::isfinite(work) ? std::max(0.0, work) : 0;
}

Pauses pauses_of(const RunSeries& series, double rate) {
  const auto line = timeline_of(series, rate);
  return series.of_blocks || !series.schedules.empty() ? by_schedule(series, line)
                                                       : after_epochs(series);
}

}  // namespace epochcast::forecast
