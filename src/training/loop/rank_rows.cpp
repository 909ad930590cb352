#include "src/training/loop/rank_rows.hpp"

#include <algorithm>

#include "src/measure/attempt/machine.hpp"
#include "src/record/queries.hpp"

namespace epochcast::train {
namespace {

/// The peaks of a rank.
struct Peaks {
  std::int64_t memory_bytes = 0;
  std::int64_t device_memory_bytes = 0;
  std::int64_t of_trials_bytes = 0;
};

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

void RankRows::add(record::Iteration row) {
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
    const auto all =
        gather_rows(team_, team_.is_first() ? std::vector<record::Iteration>() : rows_);
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      std::ranges::for_each(all[rank], [&](const auto& row) { record_.append(row); });
      sums_.push_back(sum_of(all[rank]));
    }
  }
  rows_.clear();
  std::int64_t samples = 0;
  std::ranges::for_each(sums_, [&](const auto& sum) { samples += sum.samples; });
  return samples;
}

RankRows::Sum RankRows::sum_of(const std::vector<record::Iteration>& rows) {
  Sum sum;
  for (const auto& row : rows) {
    sum.rank = row.rank;
    ++sum.steps;
    sum.samples += row.samples;
    sum.own_s += record::own_time_s(row);
    sum.gradient_sync_wait_s += row.gradient_sync_wait_s;
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
  double gradient_sync_wait_s = 0;
  for (const auto& sum : sums_) {
    gradient_sync_wait_s +=
        a_step(sum, sum.gradient_sync_wait_s) / static_cast<double>(sums_.size());
  }
  const auto slowest =
      std::ranges::max(sums_, {}, [&](const Sum& sum) { return a_step(sum, sum.own_s); });
  return {{"gradient_sync_wait_s", gradient_sync_wait_s},
          {"slowest_rank", static_cast<double>(slowest.rank)},
          {"slowest_rank_s", a_step(slowest, slowest.own_s)}};
}

Metrics peaks_of(Team& team, const Workload& workload) {
  Peaks most;
  for (const auto& of_rank :
       gather_rows<Peaks>(team, {{attempt::peak_memory_bytes(), workload.peak_device_memory_bytes(),
                                  workload.peak_device_memory_of_trials_bytes()}})) {
    most.memory_bytes = std::max(most.memory_bytes, of_rank.front().memory_bytes);
    most.device_memory_bytes =
        std::max(most.device_memory_bytes, of_rank.front().device_memory_bytes);
    most.of_trials_bytes = std::max(most.of_trials_bytes, of_rank.front().of_trials_bytes);
  }
  Metrics peaks{{"peak_memory_bytes", static_cast<double>(most.memory_bytes)},
                {"peak_gpu_memory_bytes", static_cast<double>(most.device_memory_bytes)},
                {"peak_gpu_memory_of_trials_bytes", static_cast<double>(most.of_trials_bytes)}};
  std::erase_if(peaks, [](const auto& peak) { return peak.second == 0; });
  return peaks;
}

void IterationLog::add(const record::Iteration& row) {
  pending_.push_back({row, !awaits_device_times_});
  take_device_times();
  forward(false);
}

void IterationLog::finish() {
  take_device_times();
  forward(true);
}

void IterationLog::take_device_times() {
  for (const auto& time : workload_.take_device_times()) {
    const auto index = time.iteration - forwarded_;
    if (index >= 0 && index < std::ssize(pending_)) {
      auto& pending = pending_[static_cast<std::size_t>(index)];
      pending.row.device_s = time.seconds;
      pending.row.gradient_sync_wait_s += time.gradient_sync_wait_s;
      pending.complete = true;
    }
  }
}

void IterationLog::forward(bool incomplete_too) {
  while (!pending_.empty() && (incomplete_too || pending_.front().complete)) {
    rows_.add(pending_.front().row);
    pending_.pop_front();
    ++forwarded_;
  }
}

}  // namespace epochcast::train
