#include "analysis/records/exchange.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "src/record/queries.hpp"

namespace epochcast::analysis {
namespace {

struct RankTime {
  double own_s = 0;
  double gradient_sync_wait_s = 0;
  double steps = 0;

  double own_step_s() const { return own_s / steps; }
};

/// By rank, without the first step: allocation and the choice of algorithms are in it.
std::map<std::int64_t, RankTime> times_of(const record::Record& record) {
  std::pair<std::int64_t, std::int64_t> first;
  bool any = false;
  for (const auto& step : record.iterations) {
    const std::pair here{step.epoch, step.index};
    first = any ? std::min(first, here) : here;
    any = true;
  }
  std::map<std::int64_t, RankTime> times;
  for (const auto& step : record.iterations) {
    if (std::pair{step.epoch, step.index} != first) {
      auto& of_rank = times[step.rank];
      of_rank.own_s += record::own_time_s(step);
      of_rank.gradient_sync_wait_s += step.gradient_sync_wait_s;
      of_rank.steps += 1;
    }
  }
  return times;
}

}  // namespace

std::optional<Exchange> exchange_of(const record::Record& record) {
  const auto times = times_of(record);
  if (times.size() < 2) {
    return std::nullopt;
  }
  Exchange found;
  for (const auto& [rank, time] : times) {
    found.own_step_s += time.own_step_s() / static_cast<double>(times.size());
    found.wait_s += time.gradient_sync_wait_s / time.steps / static_cast<double>(times.size());
  }
  if (!(found.own_step_s > 0)) {
    return std::nullopt;
  }
  const auto slowest = std::max_element(
      times.begin(), times.end(),
      [](const auto& a, const auto& b) { return a.second.own_step_s() < b.second.own_step_s(); });
  found.share = found.wait_s / (found.own_step_s + found.wait_s);
  found.slowest_rank = slowest->first;
  found.slower = slowest->second.own_step_s() / found.own_step_s - 1;
  return found;
}

}  // namespace epochcast::analysis
