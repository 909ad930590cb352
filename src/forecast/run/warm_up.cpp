#include "src/forecast/run/warm_up.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "src/forecast/run/prior_constants.hpp"

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

/// The steps from `first` on, from the fastest to the slowest.
class Ranks {
 public:
  Ranks(const std::vector<Step>& steps, std::size_t first)
      : steps_(steps), order_(steps.size() - first) {
    std::iota(order_.begin(), order_.end(), first);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](auto a, auto b) { return steps[a].rate() < steps[b].rate(); });
  }

  std::size_t size() const { return order_.size(); }
  std::size_t index(std::size_t rank) const { return order_[rank]; }
  double rate(std::size_t rank) const { return steps_[order_[rank]].rate(); }
  double median() const { return rate((size() - 1) / 2); }

  /// Whether the step of rank `end` (the first or the last) is far from that of rank `next`.
  bool stands_apart(std::size_t end, std::size_t next) const {
    return stands_apart(end, next, critical_share(size()));
  }
  bool stands_apart(std::size_t end, std::size_t next, double critical) const {
    const double gap = std::abs(rate(end) - rate(next));
    return gap > machine_tolerance * median() && gap > critical * (rate(size() - 1) - rate(0));
  }

  /// The step of rank `end`, with that of rank `next` if it follows or precedes and is as far from
  /// the others as machines differ. Two steps at the end of the run are a level.
  std::optional<Stall> stall_of(std::size_t end, std::size_t next) const {
    const auto from = std::min(index(end), index(next));
    const auto to = std::max(index(end), index(next));
    const bool pair = size() > 3 && to == from + 1 &&
                      std::abs(rate(next) - median()) > machine_tolerance * median();
    if (!pair) {
      return Stall{index(end), index(end) + 1};
    }
    return to + 1 < steps_.size() ? std::optional(Stall{from, to + 1}) : std::nullopt;
  }

 private:
  const std::vector<Step>& steps_;
  std::vector<std::size_t> order_;
};

std::optional<Stall> slow_last_of_three(const std::vector<Step>& steps, std::size_t first) {
  constexpr double two_sided_20_percent = 0.886;  // Rorabacher 1991, table 1
  const Ranks ranks(steps, first);
  const auto last = first + 2;
  return ranks.index(2) == last && ranks.stands_apart(2, 1, two_sided_20_percent)
             ? std::optional(Stall{last, last + 1})
             : std::nullopt;
}

}  // namespace

std::optional<Stall> stall_among(const std::vector<Step>& steps, std::size_t first) {
  if (steps.size() == first + 2) {
    return first > 0 ? slow_last_of_three(steps, first - 1) : std::nullopt;
  }
  const Ranks ranks(steps, first);
  const auto n = ranks.size();
  if (n >= 3 && ranks.stands_apart(n - 1, n - 2)) {
    return ranks.stall_of(n - 1, n - 2);
  }
  if (n >= 3 && ranks.stands_apart(0, 1)) {
    return ranks.stall_of(0, 1);
  }
  return std::nullopt;
}

}  // namespace epochcast::forecast
