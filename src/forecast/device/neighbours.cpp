#include "src/forecast/device/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "src/base/core/statistics.hpp"
#include "src/forecast/statistics/conformal_score.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::device {
namespace {

// Limits the computing time; more cases would hardly change a quantile.
constexpr std::size_t most_calibrated = 128;

/// 1 / standard deviation of each coordinate; 0 if all values are the same.
std::vector<double> scales_of(const std::vector<KnownCase>& known) {
  std::vector<double> scales(known.front().place.size());
  const auto n = static_cast<double>(known.size());
  for (std::size_t i = 0; i < scales.size(); ++i) {
    double sum = 0;
    for (const auto& one : known) {
      sum += one.place[i] / n;
    }
    double squares = 0;
    for (const auto& one : known) {
      squares += std::pow(one.place[i] - sum, 2) / n;
    }
    scales[i] = squares > 0 ? 1 / std::sqrt(squares) : 0;
  }
  return scales;
}

class Space {
 public:
  explicit Space(const std::vector<KnownCase>& known) : known_(known), scales_(scales_of(known)) {}

  /// The indices of the known cases from near to far, without those for which `excluded` is true.
  template <class ExcludedRows>
  std::vector<std::size_t> by_distance(const KnownCase& asked, const ExcludedRows& excluded) const {
    std::vector<std::pair<double, std::size_t>> found;
    for (std::size_t j = 0; j < known_.size(); ++j) {
      if (!excluded(j)) {
        found.emplace_back(distance(known_[j], asked), j);
      }
    }
    std::sort(found.begin(), found.end());
    std::vector<std::size_t> order;
    for (const auto& [far, j] : found) {
      order.push_back(j);
    }
    return order;
  }

  /// The median value of the first k cases of `order`.
  double forecast(const std::vector<std::size_t>& order, std::size_t k) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < std::min(k, order.size()); ++i) {
      values.push_back(known_[order[i]].value);
    }
    return median_of(std::move(values));
  }

 private:
  double distance(const KnownCase& one, const KnownCase& asked) const {
    double squares = (one.group == asked.group ? 0 : 1) + (one.kind == asked.kind ? 0 : 1);
    for (std::size_t i = 0; i < asked.place.size(); ++i) {
      squares += std::pow((one.place[i] - asked.place[i]) * scales_[i], 2);
    }
    return squares;
  }

  const std::vector<KnownCase>& known_;
  std::vector<double> scales_;
};

/// Too few errors for a quantile: as wide as the largest, and as a prediction by Student's t whose
/// variance joins that of the errors with that of `fallback`, which counts like four of them.
double width_of_few(const std::vector<double>& errors, double level, double fallback) {
  constexpr double prior_freedom = 4;
  const double freedom = prior_freedom + static_cast<double>(errors.size());
  const double squares = prior_freedom * square(fallback / forecast::normal_half_width(level)) +
                         sum_of_squares(errors);
  const double spread = forecast::student_half_width(level, freedom) * std::sqrt(squares / freedom);
  return errors.empty() ? spread : std::max(std::ranges::max(errors), spread);
}

/// The quantile that is valid for one more case of the same kind.
double conformal_width(const std::vector<double>& errors, double level, double fallback) {
  const bool enough = std::ceil((static_cast<double>(errors.size()) + 1) * level) <=
                      static_cast<double>(errors.size());
  return enough ? forecast::conformal_score(errors, level) : width_of_few(errors, level, fallback);
}

std::vector<double> neighbour_errors(const Space& space, const std::vector<KnownCase>& known,
                                     const std::vector<std::vector<std::size_t>>& orders,
                                     const std::vector<std::size_t>& cases, std::size_t k) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!orders[i].empty()) {
      errors.push_back(std::abs(space.forecast(orders[i], k) - known[cases[i]].value));
    }
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

}  // namespace

NearestForecast nearest_forecast(const std::vector<KnownCase>& known, const KnownCase& asked,
                                 const NearestForecast& fallback) {
  const Space space(known);
  const auto order = space.by_distance(asked, [](std::size_t) { return false; });
  const bool group_known = std::any_of(
      known.begin(), known.end(), [&](const KnownCase& one) { return one.group == asked.group; });
  const std::vector<std::size_t> cases(
      order.begin(),
      order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), most_calibrated)));
  std::vector<std::vector<std::size_t>> orders;
  for (const auto left : cases) {
    orders.push_back(space.by_distance(known[left], [&](std::size_t j) {
      return group_known ? j == left : known[j].group == known[left].group;
    }));
  }
  NearestForecast best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1;; k *= 2) {
    const auto errors = neighbour_errors(space, known, orders, cases, k);
    const double total = std::accumulate(errors.begin(), errors.end(), 0.0);
    if (total < least) {
      least = total;
      const double width_80 = conformal_width(errors, 0.80, fallback.width_80);
      best = {.value = space.forecast(order, k),
              .width_80 = width_80,
              .width_95 = std::max(width_80, conformal_width(errors, 0.95, fallback.width_95)),
              .neighbours = std::min(k, order.size())};
    }
    if (k >= known.size()) {
      return best;
    }
  }
}

}  // namespace epochcast::device
