#include "src/forecast/last_level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/forecast/changes.hpp"
#include "src/forecast/prior_constants.hpp"

namespace epochcast::forecast {
namespace {

/// Whether `steps` had this level before their last segment.
bool was_there_before(double level, const std::vector<Step>& steps,
                      const std::vector<std::size_t>& starts) {
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const auto from = steps.begin() + static_cast<std::ptrdiff_t>(starts[i]);
    const auto to = steps.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]);
    const double earlier = sum_of({from, to}).rate();
    if (std::abs(level - earlier) <= apart * earlier) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::variant<std::vector<Step>, Refusal> last_level(const std::vector<Step>& steps) {
  constexpr std::size_t fewest = 10;        // fewer are not enough to estimate the noise
  constexpr std::size_t fewest_behind = 3;  // one or two may be stalls
  const double mean = sum_of(steps).rate();
  if (steps.size() < fewest || mean == 0) {
    return steps;
  }
  const auto rates = rates_of(steps);
  const auto starts = level_starts(rates, std::max(noise_of(rates), usual_deviation * mean));
  const auto last = behind(steps, starts.back());
  const double level = sum_of(last).rate();
  if (starts.size() == 1 || last.size() < fewest_behind || was_there_before(level, steps, starts)) {
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

}  // namespace epochcast::forecast
