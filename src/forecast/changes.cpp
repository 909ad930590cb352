#include "src/forecast/changes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/core/median.hpp"
#include "src/forecast/step.hpp"

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
  const double penalty = 15 * std::log(static_cast<double>(n));
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

}  // namespace epochcast::forecast
