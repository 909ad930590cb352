#include "src/forecast/statistics/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace epochcast::forecast {
namespace {

/// A rank (from 1) of `n` sorted values, without the error of rounding in the product.
double quantile_rank(std::size_t n, double probability) {
  constexpr double rounding = 1e-9;
  const double rank = (static_cast<double>(n) + 1) * probability;
  return std::abs(rank - std::round(rank)) < rounding ? std::round(rank) : rank;
}

/// The value of a rank; `beyond` if no value has it.
double value_at(const std::vector<double>& sorted, double rank, double beyond) {
  const bool exists = rank >= 1 && rank <= static_cast<double>(sorted.size());
  return exists ? sorted[static_cast<std::size_t>(rank) - 1] : beyond;
}

double middle(const std::vector<double>& sorted) {
  const auto n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

void insert(std::vector<double>& sorted, double value) {
  sorted.insert(std::ranges::upper_bound(sorted, value), value);
}

/// Adds a job to the share of those in an interval, if it is known whether it is.
void count(const PastTime& time, const Interval& interval, Share& share) {
  const bool above = time.elapsed_s > interval.high;
  if (time.cut_off && !above) {
    return;
  }
  ++share.of;
  share.held += !above && time.elapsed_s >= interval.low ? 1 : 0;
}

void score(const PastTime& time, const HistoryForecast& forecast, Backtest& result) {
  count(time, forecast.time_s.interval_80, result.inside_80);
  if (!forecast.time_s.interval_95.is_known()) {
    return;
  }
  count(time, forecast.time_s.interval_95, result.inside_95);
  const double limit_s = limit_from(forecast.time_s.interval_95.high);
  if (std::isinf(limit_s)) {
    return;
  }
  count(time, {0, limit_s}, result.within_limit);
  if (!time.cut_off) {
    result.asked_s += limit_s;
    result.used_s += std::min(limit_s, time.elapsed_s);
  }
}

}  // namespace

PastTimes::PastTimes(const std::vector<PastTime>& times) {
  for (const auto& time : times) {
    at_least_s_.push_back(time.elapsed_s);
    at_most_s_.push_back(time.cut_off ? no_upper_end : time.elapsed_s);
    cut_off_ += time.cut_off ? 1 : 0;
  }
  std::ranges::sort(at_least_s_);
  std::ranges::sort(at_most_s_);
}

void PastTimes::add(const PastTime& time) {
  insert(at_least_s_, time.elapsed_s);
  insert(at_most_s_, time.cut_off ? no_upper_end : time.elapsed_s);
  cut_off_ += time.cut_off ? 1 : 0;
}

std::variant<HistoryForecast, Refusal> PastTimes::forecast() const {
  const auto n = at_most_s_.size();
  if (n < fewest_past_times) {
    return Refusal{fmt::format("found {} past job{}, expected at least {}", n, n == 1 ? "" : "s",
                               fewest_past_times)};
  }
  if (std::isinf(middle(at_most_s_))) {
    return Refusal{fmt::format("{} of {} past jobs reached their time limit", cut_off_, n)};
  }
  const auto interval = [&](double below, double above) {
    return Interval{value_at(at_least_s_, std::floor(quantile_rank(n, below)), 0),
                    value_at(at_most_s_, std::ceil(quantile_rank(n, above)), no_upper_end)};
  };
  HistoryForecast forecast{
      .n = n, .cut_off = cut_off_, .time_s = {middle(at_most_s_), interval(0.1, 0.9)}};
  constexpr std::size_t fewest_for_both_ends = 39;
  if (n >= fewest_for_95) {
    forecast.time_s.interval_95 =
        n < fewest_for_both_ends ? interval(0, 0.95) : interval(0.025, 0.975);
  }
  return forecast;
}

double limit_from(double high_95_s) {
  constexpr double margin = 1.10;
  constexpr double minute_s = 60;
  return minute_s * std::max(1.0, std::ceil(margin * high_95_s / minute_s));
}

Backtest backtest(std::vector<PastTime> times) {
  std::ranges::stable_sort(times, {}, &PastTime::submitted_at_s);
  auto by_end = times;
  std::ranges::stable_sort(by_end, {}, &PastTime::ended_at_s);
  const auto first = times.size() - std::min(times.size(), most_backtested);
  const double first_at_s = times.empty() ? 0 : times[first].submitted_at_s;
  const auto known_before = [&](const PastTime& time) { return time.ended_at_s <= first_at_s; };
  auto next = std::ranges::find_if_not(by_end, known_before);
  PastTimes known({by_end.begin(), next});
  Backtest result;
  for (auto i = first; i < times.size(); ++i) {
    for (; next != by_end.end() && next->ended_at_s <= times[i].submitted_at_s; ++next) {
      known.add(*next);
    }
    const auto answer = known.forecast();
    if (const auto* forecast = std::get_if<HistoryForecast>(&answer)) {
      score(times[i], *forecast, result);
    }
  }
  return result;
}

}  // namespace epochcast::forecast
