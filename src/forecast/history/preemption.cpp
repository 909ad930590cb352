#include "src/forecast/history/preemption.hpp"

#include <algorithm>
#include <cmath>

#include "src/forecast/statistics/regression.hpp"

namespace epochcast::history {
namespace {

constexpr double hour_s = 3600;

/// `of` with its value and the ends of its intervals changed; `change` rises.
template <class Change>
forecast::Prediction each_changed(const forecast::Prediction& of, Change change) {
  return {change(of.value),
          {change(of.interval_80.low), change(of.interval_80.high)},
          {change(of.interval_95.low), change(of.interval_95.high)}};
}

}  // namespace

std::optional<forecast::Prediction> Preemptions::per_hour() const {
  if (preempted == 0 || !(hours > 0)) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(preempted);
  const auto interval = [&](double level) {
    return forecast::Interval{
        forecast::chi_squared_quantile((1 - level) / 2, 2 * count) / 2 / hours,
        forecast::chi_squared_quantile((1 + level) / 2, 2 * count + 2) / 2 / hours};
  };
  return forecast::Prediction{count / hours, interval(0.8), interval(0.95)};
}

Preemptions preemptions_in(const std::vector<slurm::AccountedJob>& jobs,
                           const std::vector<std::string>& partitions) {
  Preemptions found;
  for (const auto& job : jobs) {
    if (job.elapsed_s > 0 && std::ranges::find(partitions, job.partition) != partitions.end()) {
      ++found.jobs;
      found.preempted += job.state == slurm::JobState::preempted ? 1 : 0;
      found.hours += job.elapsed_s / hour_s;
    }
  }
  return found;
}

ExpectedLoss expected_loss(const RunInParts& run, const forecast::Prediction& per_hour) {
  // A part that takes p is begun exp(rate p) times in the mean, and takes (exp(rate p) - 1) / rate.
  const auto preemptions = [&](double rate) {
    return run.parts * std::expm1(rate / hour_s * run.part_s);
  };
  const auto lost_s = [&](double rate) {
    const double count = preemptions(rate);
    return rate > 0 ? count / (rate / hour_s) - run.parts * run.part_s + count * run.again_s : 0;
  };
  return {each_changed(per_hour, preemptions), each_changed(per_hour, lost_s)};
}

}  // namespace epochcast::history
