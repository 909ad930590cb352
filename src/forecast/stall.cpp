#include "src/forecast/stall.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "src/forecast/prior_constants.hpp"

namespace epochcast::forecast {
namespace {

/// Dixon's Q: the gap to the nearest value as a share of the range that one of `count` normal
/// values exceeds in 5 % of cases (two-sided; Rorabacher 1991, table 1). Kept at that of 10 for
/// more, which is on the careful side.
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
