#include "src/forecast/run/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::forecast {

double Schedule::count_until(double work) const {
  constexpr double rounding = 1e-6;
  return std::max(0.0, std::floor((work - first) / every + rounding) + 1);
}

std::optional<Schedule> seen_schedule(const std::vector<double>& pauses_s,
                                      const std::vector<double>& done) {
  if (pauses_s.size() < 2) {
    return std::nullopt;
  }
  const double longest = *std::ranges::max_element(pauses_s);
  std::vector<double> at;
  for (std::size_t i = 0; i < pauses_s.size(); ++i) {
    if (pauses_s[i] > longest / 2) {
      at.push_back(done[i]);
    } else if (pauses_s[i] > longest / 4) {
      return std::nullopt;
    }
  }
  if (at.empty() || at.size() == pauses_s.size()) {
    return std::nullopt;
  }
  const Schedule schedule{
      .first = at.front(),
      .every = at.size() == 1 ? at.front()
                              : (at.back() - at.front()) / static_cast<double>(at.size() - 1)};
  double before = 0;
  for (std::size_t i = 0; i < pauses_s.size(); ++i) {
    const double count = schedule.count_until(done[i]);
    if ((count > before) != (pauses_s[i] > longest / 2)) {
      return std::nullopt;
    }
    before = count;
  }
  return schedule;
}

}  // namespace epochcast::forecast
