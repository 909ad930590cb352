#include "analysis/statistics.hpp"

#include <algorithm>

namespace epochcast {

std::optional<Summary> summarize(std::vector<double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::sort(values.begin(), values.end());
  const auto n = values.size();
  return Summary{.n = n,
                 .median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2,
                 .spread = values.back() - values.front()};
}

}  // namespace epochcast
