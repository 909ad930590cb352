#include "src/forecast/statistics/conformal_score.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace epochcast::forecast {

double conformal_score(std::vector<double> scores, double level) {
  const auto rank =
      static_cast<std::size_t>(std::ceil((static_cast<double>(scores.size()) + 1) * level));
  const auto place =
      scores.begin() + static_cast<std::ptrdiff_t>(std::min(rank, scores.size()) - 1);
  std::nth_element(scores.begin(), place, scores.end());
  return *place;
}

}  // namespace epochcast::forecast
