#include "src/forecast/run/epoch_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::forecast {
namespace {

std::string rounded_duration(double s) {
  const double parts = s < 60 ? 10 : 1;
  return format_duration(std::round(std::max(0.0, s) * parts) / parts);
}

}  // namespace

void add_bounded(std::vector<Step>& steps, const Step& step) {
  constexpr std::size_t most_values = 4096;
  steps.push_back(step);
  if (steps.size() >= most_values) {
    steps = merged(steps, 2);
  }
}

void EpochSeries::add(const record::Epoch& epoch) {
  if (count_++ == 0) {
    first_ = epoch.epoch;
    first_start_s_ = epoch.start_s;
  }
  done_ = std::max(done_, epoch.epoch + 1);
  last_end_s_ = std::max(last_end_s_, epoch.start_s + epoch.wall_s);
  gaps_.add(epoch);
  add_bounded(steps_, {epoch.wall_s, 1});
}

RunSeries EpochSeries::until(std::int64_t epochs) const {
  RunSeries series{.before_s = first_start_s_,
                   .gaps_s = gaps_.seconds(),
                   .steps_per_epoch = 1,
                   .work_per_epoch = 1,
                   .epochs = epochs,
                   .epochs_before = static_cast<double>(first_)};
  series.after_epoch_s = mean(series.gaps_s).value_or(0);
  for (const auto& step : steps_) {
    series.step_s.push_back(step.seconds);
    series.step_work.push_back(step.work);
  }
  return series;
}

std::string why_not_begin(const RunSeries& until_next, std::int64_t of, double usable_s,
                          double now_s) {
  const auto answer = forecast(until_next);
  const auto* found = std::get_if<Forecast>(&answer);
  if (found == nullptr) {
    return "";
  }
  // What came between epochs may have taken longer than the forecast knows.
  const double begins_s = found->total_s.value - found->rest_s - found->after_epoch_s;
  const double ends_s = found->total_s.interval_95.high + std::max(0.0, now_s - begins_s);
  return ends_s <= usable_s
             ? ""
             : fmt::format("epoch {} of {} needs up to {}, and the job has {} left for it",
                           until_next.epochs, of, rounded_duration(ends_s - now_s),
                           rounded_duration(usable_s - now_s));
}

std::string over_limit_text(double least_left_s, double job_left_s) {
  return least_left_s <= job_left_s
             ? ""
             : fmt::format(
                   "the run cannot end within its limit: it needs at least {} more, and the job "
                   "ends in {}",
                   rounded_duration(least_left_s), rounded_duration(job_left_s));
}

std::string over_limit_text(const RunSeries& whole, double end_s, double now_s) {
  const auto answer = forecast(whole);
  const auto* found = std::get_if<Forecast>(&answer);
  return found == nullptr ? ""
                          : over_limit_text(found->total_s.interval_95.low - now_s, end_s - now_s);
}

}  // namespace epochcast::forecast
