#include "src/runner/eta.hpp"

#include <algorithm>
#include <variant>

#include "src/core/clock.hpp"
#include "src/core/statistics.hpp"

namespace epochcast::runner {
namespace {

constexpr std::size_t most_values = 4096;
constexpr double least_wait_s = 1;
constexpr double share_of_time = 0.001;

/// Merges pairs if there are too many: the forecast goes by their work.
void add_bounded(std::vector<forecast::Step>& steps, const forecast::Step& step) {
  steps.push_back(step);
  if (steps.size() >= most_values) {
    steps = forecast::merged(steps, 2);
  }
}

}  // namespace

void Eta::add(const progress::Rows& rows) {
  for (const auto& epoch : rows.epochs) {
    if (recorded_++ == 0) {
      first_ = epoch.epoch;
      first_epoch_start_s_ = epoch.start_s;
    }
    done_ = std::max(done_, epoch.epoch + 1);
    gaps_.add(epoch);
    add_bounded(epoch_steps_, {epoch.wall_s, 1});
  }
  for (const auto& row : rows.iterations) {
    if (row.rank != 0 || recorded_ > 1) {
      continue;  // two epochs say more than their steps
    }
    if (steps_.empty()) {
      first_step_start_s_ = row.start_s;
      const auto in_epoch = std::max<std::int64_t>(1, steps_per_epoch_);
      first_step_at_ = static_cast<double>(row.epoch) +
                       static_cast<double>(row.index) / static_cast<double>(in_epoch);
    }
    add_bounded(steps_, {row.wait_s + row.step_s, 1});
  }
  is_new_ = is_new_ || !rows.epochs.empty() || !rows.iterations.empty();
}

forecast::Series Eta::series() const {
  const bool by_epochs = recorded_ > 1 || steps_.size() < forecast::fewest_iterations;
  const auto& values = by_epochs ? epoch_steps_ : steps_;
  forecast::Series series{.epochs = epochs_};
  for (const auto& step : values) {
    series.step_s.push_back(step.seconds);
    series.step_work.push_back(step.work);
  }
  series.gaps_s = gaps_.seconds();
  series.after_epoch_s = mean(series.gaps_s).value_or(0);
  series.before_s = by_epochs ? first_epoch_start_s_ : first_step_start_s_;
  series.steps_per_epoch = by_epochs ? 1 : steps_per_epoch_;
  series.work_per_epoch = static_cast<double>(series.steps_per_epoch);
  series.epochs_before = by_epochs ? static_cast<double>(first_) : first_step_at_;
  return series;
}

void Eta::watch(const Progress& progress) {
  epochs_ = epochs_ > 0 ? epochs_ : progress.position.epochs.value_or(0);
  steps_per_epoch_ = steps_per_epoch_ > 0 ? steps_per_epoch_ : progress.position.steps.value_or(0);
  add(progress.rows);
  if (!is_new_ || epochs_ <= 0 || progress.now_s < due_s_) {
    return;
  }
  is_new_ = false;
  const SteadyClock clock;
  const double began_s = clock.now_s();
  auto answer = forecast::forecast(series());
  auto* found = std::get_if<forecast::Forecast>(&answer);
  forecast_ = found == nullptr ? std::nullopt : std::optional(std::move(*found));
  due_s_ = progress.now_s + std::max(least_wait_s, (clock.now_s() - began_s) / share_of_time);
}

}  // namespace epochcast::runner
