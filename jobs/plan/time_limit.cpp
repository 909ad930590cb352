#include "jobs/plan/time_limit.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::jobs {

double margin_s(double high_s, Seconds signal_lead) {
  constexpr double share = 0.10;
  constexpr double early_s = 60;
  return std::max(share * high_s, signal_lead.value + early_s);
}

Seconds in_minutes(double seconds) {
  return {60 * std::ceil(seconds / 60)};
}

Pieces pieces_for(double high_s, std::int64_t epochs, Seconds limit, Seconds signal_lead) {
  // The longest run that the limit would be given to.
  const double usable_s = std::min(limit.value / 1.10, limit.value - margin_s(0, signal_lead));
  if (usable_s <= 0) {
    return {};
  }
  const auto count = static_cast<std::int64_t>(std::ceil(high_s / usable_s));
  return {count, (epochs + count - 1) / count};
}

}  // namespace epochcast::jobs
