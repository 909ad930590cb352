#include "src/forecast/scaling/last_doubling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {

MeanThroughputs::value_type best_measured(const MeanThroughputs& means) {
  return *std::ranges::max_element(means, {}, &MeanThroughputs::value_type::second);
}

double noise_of(const MeanThroughputs& means) {
  double noise = 1;
  for (auto few = means.begin(), more = std::next(few); more != means.end(); few = more++) {
    noise = std::max(noise, more->second / more->first / (few->second / few->first));
  }
  return noise;
}

Limit limit_of(const MeanThroughputs& means, double asked) {
  const auto& [most, with_most] = *means.rbegin();
  const auto above_half = means.upper_bound(most / 2);
  const auto best = best_measured(means);
  const auto [fewer, with_fewer] = best.first != most            ? best
                                   : above_half == means.begin() ? *above_half
                                                                 : *std::prev(above_half);
  const auto won = fmt::format("{:g} did {:.3g} times as much per second as {:g}", most,
                               with_most / with_fewer, fewer);
  if (with_most <= (1 + machine_tolerance) * with_fewer) {
    return {best.second, 0,
            fmt::format("no gain: {}, and machines differ by up to {:g} %", won,
                        100 * machine_tolerance)};
  }
  const double at_best = noise_of(means) * with_most;
  const double each = (at_best - with_fewer) / (most - fewer);
  return {at_best + each * std::max(0.0, asked - most), machine_tolerance,
          fmt::format("no law agrees: {}, so each further one adds at most what each of the last "
                      "{:g} did",
                      won, most - fewer)};
}

}  // namespace epochcast::forecast
