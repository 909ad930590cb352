#include "src/forecast/statistics/like_times.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/core/lists.hpp"
#include "src/forecast/statistics/conformal_score.hpp"

namespace epochcast::forecast {
namespace {

/// Times below it count alike.
constexpr double tick_s = 30;
/// Times of a batch that stand for it.
constexpr std::size_t of_batch = 5;
/// Where the end of an interval is beyond all times, it is this many medians.
constexpr double beyond_medians = 30;

double log_of(double time_s) {
  return std::log(time_s + tick_s);
}

/// Half the interval in logarithms, and a tenth for one without width.
double unit_of(const Interval& interval) {
  constexpr double least = 0.1;
  return (log_of(interval.high) - log_of(interval.low)) / 2 + least;
}

/// The middle of each fifth of the times as they are known at `now_s`; of one time itself. Together
/// they weigh 1.
std::vector<WeightedTime> fifths_of(const TimeBatch& batch, double now_s) {
  std::vector<WeightedTime> known;
  for (const auto& time : batch.times) {
    if (time.from_s <= now_s) {
      known.push_back(
          {std::min(time.took_s, now_s - time.from_s), time.until_s() <= now_s && !time.cut_off});
    }
  }
  if (known.size() <= 1) {
    return known;
  }
  std::ranges::sort(known, [](const auto& a, const auto& b) {
    return a.time_s != b.time_s ? a.time_s < b.time_s : a.is_over && !b.is_over;
  });
  std::vector<WeightedTime> fifths;
  for (std::size_t i = 0; i < of_batch; ++i) {
    fifths.push_back(known[(2 * i + 1) * known.size() / (2 * of_batch)]);
    fifths.back().weight = 1.0 / of_batch;
  }
  return fifths;
}

/// Whether so many batches teach how wrong forecasts are.
bool is_enough(double batches) {
  return std::round(batches) >= fewest_past_forecasts;
}

/// Quantiles of one distribution.
class Survival {
 public:
  explicit Survival(std::vector<WeightedTime> times) : times_(std::move(times)) {
    std::ranges::sort(times_, [](const auto& a, const auto& b) {
      return a.time_s != b.time_s ? a.time_s < b.time_s : a.is_over && !b.is_over;
    });
    double left = 0;
    for (const auto& time : times_) {
      left += time.weight;
    }
    double survive = 1;
    for (const auto& time : times_) {
      survive *= time.is_over && left > 0 ? std::max(0.0, 1 - time.weight / left) : 1;
      left -= time.weight;
      until_.push_back(1 - survive);
    }
  }

  double quantile(double probability) const {
    constexpr double rounding = 1e-9;
    const auto found = std::ranges::lower_bound(until_, probability - rounding);
    return found == until_.end() ? std::numeric_limits<double>::infinity()
                                 : times_[static_cast<std::size_t>(found - until_.begin())].time_s;
  }

  std::vector<std::pair<double, double>> steps() const {
    std::vector<std::pair<double, double>> steps;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (i + 1 == times_.size() || times_[i].time_s < times_[i + 1].time_s) {
        steps.emplace_back(times_[i].time_s, until_[i]);
      }
    }
    return steps;
  }

 private:
  std::vector<WeightedTime> times_;
  std::vector<double> until_;  ///< Share of the distribution up to each time.
};

/// How far beyond the ends of their intervals outcomes lay, in units of these; inside: below 0.
struct BeyondEnds {
  Ends ends;
  std::vector<WeightedTime> low = {};   ///< Below the lower end; of both, the farther.
  std::vector<WeightedTime> high = {};  ///< Above the upper end; none with ends that move together.

  void add(const Interval& interval, const WeightedTime& time) {
    const double unit = unit_of(interval);
    const double below = (log_of(interval.low) - log_of(time.time_s)) / unit;
    const double above = (log_of(time.time_s) - log_of(interval.high)) / unit;
    constexpr double middle = -1;  // what is not over may have been below so far
    const double farther = std::max(time.is_over ? below : middle, above);
    if (ends == Ends::together) {
      low.push_back({farther, time.is_over, time.weight});
    } else {
      low.push_back({-below, time.is_over, time.weight});
      high.push_back({above, time.is_over, time.weight});
    }
  }

  Interval moved(const Interval& interval, double level, double most_s) const {
    const bool together = ends == Ends::together;
    const double down =
        together ? quantile_of_times(low, level) : -quantile_of_times(low, (1 - level) / 2);
    const double up = together ? down : quantile_of_times(high, (1 + level) / 2);
    const double unit = unit_of(interval);
    const auto at = [&](double end_s, double units) {
      return std::clamp((end_s + tick_s) * std::exp(unit * units) - tick_s, 0.0, most_s);
    };
    const double low_s = at(interval.low, -down);
    const double high_s = at(interval.high, up);
    return {std::min(low_s, high_s), std::max(low_s, high_s)};
  }
};

}  // namespace

double quantile_of_times(std::vector<WeightedTime> times, double probability) {
  return Survival(std::move(times)).quantile(probability);
}

std::size_t had_time(const std::vector<bool>& is_open) {
  constexpr std::size_t of_last = 100;
  constexpr double nearly_all = 0.95;
  std::size_t open = 0;
  std::size_t until = 0;
  for (std::size_t i = 0; i < is_open.size(); ++i) {
    open += is_open[i] ? 1 : 0;
    open -= i >= of_last && is_open[i - of_last] ? 1 : 0;
    const auto count = static_cast<double>(std::min(i + 1, of_last));
    if (static_cast<double>(open) <= (1 - nearly_all) * count) {
      until = i + 1;
    }
  }
  return until;
}

LikeTimes::LikeTimes(std::vector<TimeBatch> batches,
                     std::function<Likeness(std::size_t, std::size_t)> likeness,
                     const LikeParts& parts)
    : batches_(std::move(batches)),
      likeness_(std::move(likeness)),
      parts_(parts),
      raw_(batches_.size()) {
  for (const auto& batch : batches_) {
    over_.push_back(fifths_of(batch, std::numeric_limits<double>::infinity()));
    double over_at_s = batch.asked_at_s;
    for (const auto& time : batch.times) {
      over_at_s = std::max(over_at_s, time.until_s());
    }
    over_at_s_.push_back(over_at_s);
  }
}

void LikeTimes::add_known(std::size_t batch, double now_s, double weight, double ratio,
                          double most_s, std::vector<WeightedTime>& times) const {
  const bool is_over = over_at_s_[batch] <= now_s;
  const auto known = is_over ? over_[batch] : fifths_of(batches_[batch], now_s);
  for (auto time : known) {
    if (!time.is_over && !parts_.counts_open) {
      continue;
    }
    time.time_s *= ratio;
    if (time.time_s >= most_s) {
      time = {most_s, true, time.weight};
    }
    time.weight *= weight;
    times.push_back(time);
  }
}

std::vector<WeightedTime> LikeTimes::known_to(std::size_t batch) const {
  constexpr double too_far = 12;
  const double now_s = batches_[batch].asked_at_s;
  const double most_s = batches_[batch].most_s;
  const auto first = first_of(batch);
  std::vector<Likeness> likeness;
  double nearest = std::numeric_limits<double>::infinity();
  for (auto i = first; i < batch; ++i) {
    likeness.push_back(likeness_(batch, i));
    nearest = std::min(nearest, likeness.back().distance);
  }
  std::vector<WeightedTime> times;
  for (auto i = first; i < batch; ++i) {
    const auto& [distance, ratio] = likeness[i - first];
    if (distance - nearest < too_far) {
      add_known(i, now_s, std::exp(nearest - distance), ratio, most_s, times);
    }
  }
  return times;
}

std::vector<std::pair<double, double>> LikeTimes::distribution(std::size_t batch) const {
  return Survival(known_to(batch)).steps();
}

std::optional<Prediction> LikeTimes::forecast(std::size_t batch) const {
  const double most_s = batches_[batch].most_s;
  const Survival survival(known_to(batch));
  const double median_s = survival.quantile(0.5);
  if (!std::isfinite(median_s)) {
    return std::nullopt;
  }
  const auto interval = [&](double level) {
    const double high_s = survival.quantile((1 + level) / 2);
    const double far_s = std::min(most_s, beyond_medians * (median_s + tick_s));
    return Interval{survival.quantile((1 - level) / 2), std::isfinite(high_s) ? high_s : far_s};
  };
  return Prediction{median_s, interval(0.8), interval(0.95)};
}

const std::optional<Prediction>& LikeTimes::raw(std::size_t batch) const {
  auto& place = raw_[batch];
  if (!place) {
    place = forecast(batch);
  }
  return *place;
}

std::size_t LikeTimes::had_time(std::size_t batch) const {
  const double now_s = batches_[batch].asked_at_s;
  const auto first = first_of(batch);
  std::vector<bool> is_open;
  for (auto i = first; i < batch; ++i) {
    is_open.push_back(over_at_s_[i] > now_s);
  }
  return first + forecast::had_time(is_open);
}

void LikeTimes::each_outcome(
    std::size_t batch, std::size_t until,
    const std::function<void(std::size_t, const WeightedTime&)>& use) const {
  const double now_s = batches_[batch].asked_at_s;
  for (auto i = first_of(batch); i < until; ++i) {
    if (raw(i)) {
      std::vector<WeightedTime> times;
      add_known(i, now_s, 1, 1, batches_[i].most_s, times);
      for (const auto& time : times) {
        use(i, time);
      }
    }
  }
}

bool LikeTimes::can_calibrate(std::size_t batch) const {
  double count = 0;
  each_outcome(batch, batch, [&](std::size_t, const WeightedTime& time) { count += time.weight; });
  return is_enough(count);
}

std::optional<Prediction> LikeTimes::calibrated(std::size_t batch) const {
  auto made = raw(batch);
  if (!made) {
    return made;
  }
  BeyondEnds of_80{parts_.ends}, of_95{parts_.ends};
  each_outcome(batch, batch, [&](std::size_t past, const WeightedTime& time) {
    of_80.add(raw(past)->interval_80, time);
    of_95.add(raw(past)->interval_95, time);
  });
  if (!is_enough(summed(of_80.low, &WeightedTime::weight))) {
    return made;
  }
  const double most_s = batches_[batch].most_s;
  made->interval_80 = of_80.moved(made->interval_80, 0.8, most_s);
  made->interval_95 = of_95.moved(made->interval_95, 0.95, most_s);
  made->value = std::clamp(made->value, made->interval_80.low, made->interval_80.high);
  return made;
}

}  // namespace epochcast::forecast
