#include "src/train/rank_rows.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace epochcast {
namespace {

// All ranks run the same program (the meeting sees to it), so rows may travel as they lie in
// memory.
static_assert(std::is_trivially_copyable_v<Iteration>);

std::string bytes_of(const std::vector<Iteration>& rows) {
  return {reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(Iteration)};
}

std::vector<Iteration> rows_from(const std::string& bytes) {
  std::vector<Iteration> rows(bytes.size() / sizeof(Iteration));
  if (!rows.empty()) {
    std::memcpy(rows.data(), bytes.data(), rows.size() * sizeof(Iteration));
  }
  return rows;
}

}  // namespace

Metrics mean_of(Team& team, Metrics metrics) {
  std::vector<double> values;
  for (const auto& [name, value] : metrics) {
    values.push_back(value);
  }
  values = team.sum(values);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    metrics[i].second = values[i] / static_cast<double>(team.size());
  }
  return metrics;
}

void RankRows::add(Iteration row) {
  row.rank = team_.rank();
  row.start_s += team_.to_first_clock_s();
  rows_.push_back(row);
  if (team_.is_first()) {
    record_.append(row);
  }
}

std::int64_t RankRows::share() {
  sums_ = {sum_of(rows_)};
  if (team_.size() > 1) {
    const auto all = team_.gather(team_.is_first() ? "" : bytes_of(rows_));
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      const auto rows = rows_from(all[rank]);
      std::ranges::for_each(rows, [&](const auto& row) { record_.append(row); });
      sums_.push_back(sum_of(rows));
    }
  }
  rows_.clear();
  std::int64_t samples = 0;
  std::ranges::for_each(sums_, [&](const auto& sum) { samples += sum.samples; });
  return samples;
}

RankRows::Sum RankRows::sum_of(const std::vector<Iteration>& rows) {
  Sum sum;
  for (const auto& row : rows) {
    sum.rank = row.rank;
    ++sum.steps;
    sum.samples += row.samples;
    sum.own_s += row.wait_s + row.step_s - row.exchange_s;
    sum.exchange_s += row.exchange_s;
  }
  return sum;
}

Metrics RankRows::metrics() const {
  if (sums_.size() < 2 ||
      std::ranges::any_of(sums_, [](const auto& sum) { return sum.steps == 0; })) {
    return {};
  }
  const auto a_step = [](const Sum& sum, double seconds) {
    return seconds / static_cast<double>(sum.steps);
  };
  double exchange_s = 0;
  for (const auto& sum : sums_) {
    exchange_s += a_step(sum, sum.exchange_s) / static_cast<double>(sums_.size());
  }
  const auto slowest =
      std::ranges::max(sums_, {}, [&](const Sum& sum) { return a_step(sum, sum.own_s); });
  return {{"exchange_s", exchange_s},
          {"slowest_rank", static_cast<double>(slowest.rank)},
          {"slowest_rank_s", a_step(slowest, slowest.own_s)}};
}

}  // namespace epochcast
