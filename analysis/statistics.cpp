#include "analysis/statistics.hpp"

#include <algorithm>
#include <stdexcept>

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

double quantile(std::vector<double> values, double probability) {
  if (values.empty()) {
    throw std::logic_error("quantile of nothing");
  }
  std::sort(values.begin(), values.end());
  const double rank = probability * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (rank - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace epochcast
