#include "jobs/plan/time_limit.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::jobs {
namespace {

constexpr double margin_share = 0.10;
constexpr double minute_s = 60;

}  // namespace

double margin_s(double high_s, Seconds signal_lead) {
  constexpr double early_s = 60;
  return std::max(margin_share * high_s, signal_lead.value + early_s);
}

Seconds in_minutes(double seconds) {
  return {minute_s * std::ceil(seconds / minute_s)};
}

Pieces pieces_for(const JobTime& most, std::int64_t epochs, Seconds limit, Seconds signal_lead) {
  // The longest job that would get this limit, and the time in it that is left to the program.
  const double whole_s = minute_s * std::floor(limit.value / minute_s);
  const double longest_s =
      std::min(whole_s / (1 + margin_share), whole_s - margin_s(0, signal_lead));
  const double usable_s = longest_s - most.before_s;
  if (usable_s <= 0) {
    return {};
  }
  const auto count = static_cast<std::int64_t>(std::ceil(most.program_s / usable_s));
  return {count, (epochs + count - 1) / count};
}

}  // namespace epochcast::jobs
