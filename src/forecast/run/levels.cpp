#include "src/forecast/run/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/step.hpp"

namespace epochcast::forecast {

namespace {

/// The sum of squared distances from the mean of the values [from, to), in units of noise squared,
/// in constant time.
class Costs {
 public:
  Costs(const std::vector<double>& values, double noise) : sum_{0}, squares_{0} {
    for (const double value : values) {
      const double scaled = (value - values.front()) / noise;
      sum_.push_back(sum_.back() + scaled);
      squares_.push_back(squares_.back() + scaled * scaled);
    }
  }

  double operator()(std::size_t from, std::size_t to) const {
    const double sum = sum_[to] - sum_[from];
    return squares_[to] - squares_[from] - sum * sum / static_cast<double>(to - from);
  }

 private:
  std::vector<double> sum_;
  std::vector<double> squares_;
};

}  // namespace

std::vector<std::size_t> level_starts(const std::vector<double>& values, double noise) {
  const auto n = values.size();
  const Costs cost(values, noise);
  const double penalty = level_penalty * std::log(static_cast<double>(n));
  std::vector<double> best{0};             // cost of the values before each index
  std::vector<std::size_t> last_start{0};  // of the best segmentation before each index
  std::vector<std::size_t> candidates{0};  // starts that can still be the last one
  for (std::size_t end = 1; end <= n; ++end) {
    const auto total = [&](std::size_t start) { return best[start] + cost(start, end); };
    const auto start =
        *std::min_element(candidates.begin(), candidates.end(),
                          [&](std::size_t a, std::size_t b) { return total(a) < total(b); });
    best.push_back(total(start) + penalty);
    last_start.push_back(start);
    std::erase_if(candidates, [&](std::size_t a) { return total(a) > best.back(); });
    candidates.push_back(end);
  }
  std::vector<std::size_t> starts;
  for (std::size_t end = n; end > 0; end = last_start[end]) {
    starts.insert(starts.begin(), last_start[end]);
  }
  return starts;
}

double noise_of(const std::vector<double>& values) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < values.size(); ++i) {
    differences.push_back(std::abs(values[i] - values[i - 1]));
  }
  constexpr double median_of_normal = 0.6745;  // median of |x|, in standard deviations
  return differences.empty() ? 0
                             : median_of(differences) / (median_of_normal * std::numbers::sqrt2);
}

namespace {

/// Whether `steps` had this level before their last segment.
bool was_there_before(double level, const std::vector<Step>& steps,
                      const std::vector<std::size_t>& starts) {
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const auto from = steps.begin() + static_cast<std::ptrdiff_t>(starts[i]);
    const auto to = steps.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]);
    const double earlier = sum_of({from, to}).rate();
    if (std::abs(level - earlier) <= machine_tolerance * earlier) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::variant<std::vector<Step>, Refusal> last_level(const std::vector<Step>& steps) {
  const double mean = sum_of(steps).rate();
  if (steps.size() < fewest_for_mser || mean == 0) {
    return steps;
  }
  const auto rates = rates_of(steps);
  const auto starts = level_starts(rates, std::max(noise_of(rates), usual_deviation * mean));
  auto last = steps_after(steps, starts.back());
  const double level = sum_of(last).rate();
  if (starts.size() == 1 || last.size() < fewest_of_level ||
      was_there_before(level, steps, starts)) {
    return steps;
  }
  if (2 * last.size() >= steps.size()) {
    return last;
  }
  return Refusal{fmt::format(
      "no steady state: the last {:.0f} % of the work measured went at {:.2f} times the mean time "
      "(a schedule of batch size or length, or a device that throttles): give the work of each "
      "step, or measure for longer",
      100 * sum_of(last).work / sum_of(steps).work, level / mean)};
}

double autocorrelation(const std::vector<double>& values, std::size_t lag) {
  const auto moments = moments_of(values);
  double sum = 0;
  for (std::size_t i = lag; i < values.size(); ++i) {
    sum += (values[i] - moments.mean) * (values[i - lag] - moments.mean);
  }
  if (moments.squares == 0 || lag >= values.size()) {
    return 0;
  }
  const auto n = static_cast<double>(values.size());
  return sum / static_cast<double>(values.size() - lag) / (moments.squares / n);
}

std::size_t period_of(const std::vector<double>& values) {
  for (std::size_t lag = 2; 3 * lag <= values.size(); ++lag) {
    const double here = autocorrelation(values, lag);
    const double chance = 3 / std::sqrt(static_cast<double>(values.size() - lag));
    if (here > std::max(least_of_period, chance) && here >= autocorrelation(values, lag - 1) &&
        here >= autocorrelation(values, lag + 1)) {
      return lag;
    }
  }
  return 0;
}

}  // namespace epochcast::forecast
