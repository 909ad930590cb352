#include "src/forecast/scaling/bottleneck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/core/text.hpp"

namespace epochcast::forecast {
namespace {

/// Above this fraction of the device's time, the queue runs empty between launches now and then.
constexpr double nearly_all = 0.9;

template <class Value>
double mean_value(const std::vector<StepTimes>& steps, Value value) {
  double sum = 0;
  for (const auto& step : steps) {
    sum += step.*value;
  }
  return sum / static_cast<double>(steps.size());
}

bool one_size_only(const std::vector<BatchTime>& times) {
  return std::all_of(times.begin(), times.end(),
                     [&](const BatchTime& time) { return time.batch == times.front().batch; });
}

/// The time of a sample at the largest size up to `batch`, divided by the shortest time of a sample
/// at a smaller size; std::nullopt if there is no such pair.
std::optional<double> slowdown_per_sample(std::vector<BatchTime> times, double batch) {
  std::erase_if(times, [&](const BatchTime& time) { return time.batch > batch; });
  if (times.empty() || one_size_only(times)) {
    return std::nullopt;
  }
  std::sort(times.begin(), times.end(),
            [](const BatchTime& a, const BatchTime& b) { return a.batch < b.batch; });
  const auto largest = times.back();
  double best_s = std::numeric_limits<double>::infinity();
  for (const auto& time : times) {
    if (time.batch < largest.batch) {
      best_s = std::min(best_s, time.step_s / time.batch);
    }
  }
  return largest.step_s / largest.batch / best_s;
}

}  // namespace

StepParts split_steps(const std::vector<StepTimes>& steps, double wall_s, bool host_waits) {
  const double device_s = mean_value(steps, &StepTimes::device_s);
  const double launch_s =
      host_waits ? 0 : std::ranges::min_element(steps, {}, &StepTimes::step_s)->step_s;
  const bool is_launching = device_s > 0 && launch_s >= nearly_all * device_s;
  StepParts parts;
  if (device_s > 0 && !is_launching) {
    parts.device_s = std::min(device_s, wall_s);
    parts.hidden_host_s = launch_s;
  }
  parts.input_s = std::min(mean_value(steps, &StepTimes::wait_s), wall_s - parts.device_s);
  const double rest_s = wall_s - parts.device_s - parts.input_s;
  if (is_launching) {
    parts.host_s = rest_s;
  } else if (device_s == 0) {
    parts.device_s = std::min(mean_value(steps, &StepTimes::step_s), rest_s);
    parts.sync_s = rest_s - parts.device_s;
  } else {
    parts.sync_s = rest_s;
  }
  return parts;
}

double step_on_device_s(const StepParts& parts, double ratio, double host_ratio) {
  return std::max(parts.device_s * ratio, parts.hidden_host_s * host_ratio) +
         parts.host_s * host_ratio + parts.input_s + parts.sync_s;
}

std::optional<std::string> not_device_bound(const StepParts& parts) {
  const double largest = std::max({parts.host_s, parts.input_s, parts.sync_s});
  if (parts.device_s >= largest) {
    return std::nullopt;
  }
  const auto* what = largest == parts.host_s    ? "launching on the host"
                     : largest == parts.input_s ? "waiting for data"
                                                : "waiting at the ends of epochs";
  return fmt::format("{} is {} of a step, the device {}", what, percent(largest / parts.total_s()),
                     percent(parts.device_s / parts.total_s()));
}

std::optional<double> fixed_share(const std::vector<BatchTime>& times, double batch) {
  const auto cost = batch_cost(times);
  return cost ? std::optional(cost->launch_s / cost->step_s(batch)) : std::nullopt;
}

std::optional<std::string> not_device_bound(const std::vector<BatchTime>& times, double batch) {
  constexpr double most_per_sample = 1.25;
  if (const auto slowdown = slowdown_per_sample(times, batch);
      slowdown && *slowdown > most_per_sample) {
    return fmt::format("samples take {:.2f} times as long as in a smaller batch", *slowdown);
  }
  if (const auto share = fixed_share(times, batch); share && *share > 0.5) {
    return fmt::format("{} of the step do not grow with the batch", percent(*share));
  }
  return std::nullopt;
}

}  // namespace epochcast::forecast
