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

}  // namespace epochcast::jobs
