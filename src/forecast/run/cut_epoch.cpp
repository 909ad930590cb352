#include "src/forecast/run/cut_epoch.hpp"

#include <algorithm>
#include <cstddef>

#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {

bool ends_within_last(const std::vector<double>& epoch_s) {
  constexpr std::size_t fewest = 3;
  if (epoch_s.size() < fewest) {
    return false;
  }
  const auto last = epoch_s.end() - 1;
  const auto [shorter, longer] = std::minmax(*(last - 1), *(last - 2));
  return longer <= (1 + machine_tolerance) * shorter &&
         (1 + machine_tolerance) * *last < *std::min_element(epoch_s.begin(), last);
}

}  // namespace epochcast::forecast
