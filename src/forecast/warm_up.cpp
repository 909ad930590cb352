#include "src/forecast/warm_up.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "src/forecast/prior_constants.hpp"

namespace epochcast::forecast {

std::size_t mser_cut(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  double best = std::numeric_limits<double>::infinity();
  std::size_t cut = 0;
  for (std::size_t i = values.size(); i-- > 0;) {  // sums from the end: one pass covers every cut
    const double centred = values[i] - values.back();  // keeps digits in the difference of squares
    sum += centred;
    squares += centred * centred;
    const auto count = static_cast<double>(values.size() - i);
    const double standard_error_squared = (squares - sum * sum / count) / (count * count);
    if (i <= values.size() / 2 && standard_error_squared <= best) {
      best = standard_error_squared;
      cut = i;
    }
  }
  return cut;
}

std::size_t warm_up_length(const std::vector<double>& step_s) {
  constexpr std::size_t block = 5;
  std::vector<double> means;
  for (std::size_t i = 0; i + block <= step_s.size(); i += block) {
    const auto first = step_s.begin() + static_cast<std::ptrdiff_t>(i);
    means.push_back(std::accumulate(first, first + block, 0.0) / block);
  }
  return block * mser_cut(means);
}

namespace {

/// Critical value of Dixon's Q: the gap to the nearest value as a fraction of the range, which one
/// of `count` normal values exceeds in 5 % of cases (two-sided; Rorabacher 1991, table 1). For more
/// than 10 values, the value for 10 is used, which is conservative.
double critical_share(std::size_t count) {
  constexpr std::array two_sided_5_percent{0.970, 0.829, 0.710, 0.625, 0.568, 0.526, 0.493, 0.466};
  constexpr std::size_t first = 3;
  return two_sided_5_percent[std::clamp(count, first, first + two_sided_5_percent.size() - 1) -
                             first];
}

}  // namespace

std::optional<std::size_t> stall_among(const std::vector<Step>& steps, std::size_t first) {
  std::vector<std::size_t> order(steps.size() - first);
  std::iota(order.begin(), order.end(), first);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return steps[a].rate() < steps[b].rate(); });
  const auto n = order.size();
  const auto rate = [&](std::size_t rank) { return steps[order[rank]].rate(); };
  const auto stands_apart = [&](double gap) {
    return gap > apart * rate((n - 1) / 2) &&
           (n == 2 || gap > critical_share(n) * (rate(n - 1) - rate(0)));
  };
  const bool slow = n >= 2 && stands_apart(rate(n - 1) - rate(n - 2));
  if (slow && (n > 2 || order[n - 1] + 1 == steps.size())) {
    return order[n - 1];
  }
  if (n >= 3 && stands_apart(rate(1) - rate(0))) {
    return order[0];
  }
  return std::nullopt;
}

}  // namespace epochcast::forecast
