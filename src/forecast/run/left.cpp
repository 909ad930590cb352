#include "src/forecast/run/left.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "src/base/core/text.hpp"
#include "src/forecast/run/overdue.hpp"

namespace epochcast::forecast {
namespace {

std::string rounded_duration(double s) {
  const double parts = s < 60 ? 10 : 1;
  return format_duration(std::round(std::max(0.0, s) * parts) / parts);
}

}  // namespace

std::optional<Forecast> forecast_of_running(const ObservedRun& run, const RunLength& length) {
  if (!length.is_known()) {
    return std::nullopt;
  }
  auto answer = forecast(run.series(length));
  auto* found = std::get_if<Forecast>(&answer);
  return found == nullptr ? std::nullopt : std::optional(std::move(*found));
}

std::optional<Prediction> left_s(const ObservedRun& run, const RunLength& length, double now_s) {
  const auto made = forecast_of_running(run, length);
  if (!made) {
    return std::nullopt;
  }
  const auto total_s = shifted_if_overdue(*made, run.last_seen(length), now_s).total_s;
  const auto left = [&](double end_s) { return std::max(0.0, end_s - now_s); };
  const auto ends = [&](const Interval& at) { return Interval{left(at.low), left(at.high)}; };
  return Prediction{left(total_s.value), ends(total_s.interval_80), ends(total_s.interval_95)};
}

std::string why_not_begin(const ObservedRun& run, std::int64_t epoch, std::int64_t of,
                          double usable_s, double now_s) {
  const auto found = forecast_of_running(run, {.epochs = epoch + 1});
  if (!found || run.epochs() == 0 || epoch >= of) {
    return "";
  }
  // What came between epochs may have taken longer than the forecast knows.
  const double begins_s = found->total_s.value - found->rest_s - found->after_epoch_s;
  const double ends_s = found->total_s.interval_95.high + std::max(0.0, now_s - begins_s);
  return ends_s <= usable_s
             ? ""
             : fmt::format("epoch {} of {} needs up to {}, and the job has {} left for it",
                           epoch + 1, of, rounded_duration(ends_s - now_s),
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

}  // namespace epochcast::forecast
