#include "jobs/ledger/margin.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::jobs {

double margin_s(double high_s, Seconds signal_lead) {
  constexpr double early_s = 60;
  return std::max(margin_share * high_s, signal_lead.value + early_s);
}

double without_margin_s(double limit_s, Seconds signal_lead) {
  return std::min(limit_s / (1 + margin_share), limit_s - margin_s(0, signal_lead));
}

Seconds in_minutes(double seconds) {
  constexpr double minute_s = 60;
  return {minute_s * std::ceil(seconds / minute_s)};
}

LimitByForecast limit_for(double high_s, const AllocationProfile& site) {
  const double needed_s = high_s + margin_s(high_s, site.launch.signal_lead);
  const auto limit = in_minutes(needed_s);
  const double most_s = site.asks.time.value;
  return {needed_s, limit, most_s == 0 || limit.value <= most_s};
}

}  // namespace epochcast::jobs
