#include "src/runner/eta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "src/base/core/clock.hpp"
#include "src/base/core/statistics.hpp"
#include "src/forecast/run/series_from_record.hpp"

namespace epochcast::runner {
namespace {

constexpr double least_wait_s = 1;
constexpr double share_of_time = 0.001;

forecast::Step iteration_steps(const record::Iteration& row, std::int64_t count) {
  const auto work = static_cast<double>(count);
  return {.seconds = work * (row.wait_s + row.step_s), .work = work};
}

}  // namespace

void Eta::add(const progress::Rows& rows) {
  for (const auto& epoch : rows.epochs) {
    epochs_.add(epoch);
  }
  for (const auto& row : rows.iterations) {
    if (row.rank == 0) {
      add_steps(row);
    }
  }
  is_new_ = is_new_ || !rows.epochs.empty() || !rows.iterations.empty();
}

void Eta::add_steps(const record::Iteration& row) {
  const auto before = std::exchange(last_row_, row);
  if (!first_row_) {
    first_row_ = row;
    steps_of_last_row_ = row.index + 1;
    return;
  }
  const auto count = forecast::steps_of_row(row, before);
  steps_of_last_row_ = count;
  if (epochs_.count() > 1 && !in_one_epoch()) {
    return;  // two epochs say more than their steps
  }
  if (steps_.empty()) {
    const auto of_first = forecast::steps_of_first_row(*first_row_, count);
    before_first_row_ = first_row_->index + 1 - of_first;
    counted_ = of_first;
    first_step_start_s_ =
        std::max(0.0, first_row_->start_s - static_cast<double>(of_first - 1) *
                                                (first_row_->wait_s + first_row_->step_s));
    steps_.push_back(iteration_steps(*first_row_, of_first));
  }
  forecast::add_bounded(steps_, iteration_steps(row, count));
  counted_ += count;
}

/// Whether the run is taken as one epoch with all its steps.
bool Eta::in_one_epoch() const {
  return length_.steps > 0 && (steps_per_epoch_ == 0 || epochs_.count() == 0);
}

std::int64_t Eta::steps_per_epoch() const {
  return in_one_epoch() ? length_.steps : steps_per_epoch_;
}

std::int64_t Eta::steps_done() const {
  if (in_one_epoch()) {
    return before_first_row_ + counted_;
  }
  const auto of_rows =
      first_row_ ? last_row_.epoch * steps_per_epoch_ + last_row_.index + 1 : std::int64_t{0};
  return std::max(epochs_.done() * steps_per_epoch_, of_rows);
}

/// What was done before the first row.
double Eta::epochs_before() const {
  const auto in_epoch = static_cast<double>(std::max<std::int64_t>(1, steps_per_epoch()));
  const double part = static_cast<double>(before_first_row_) / in_epoch;
  return in_one_epoch() || !first_row_ ? part : static_cast<double>(first_row_->epoch) + part;
}

forecast::Observation Eta::last_seen() const {
  const auto row_end_s = first_row_ ? last_row_.start_s + last_row_.wait_s + last_row_.step_s : 0.0;
  const double at_s = std::max(epochs_.last_end_s(), row_end_s);
  const auto in_epoch = static_cast<double>(steps_per_epoch());
  if (in_epoch == 0) {
    return {.done = static_cast<double>(epochs_.done()),
            .epochs = static_cast<double>(length_.epochs),
            .at_s = at_s};
  }
  const double epochs = length_.steps > 0 ? static_cast<double>(length_.steps) / in_epoch
                                          : static_cast<double>(length_.epochs);
  const double spacing = first_row_ ? static_cast<double>(steps_of_last_row_) / in_epoch : 1;
  return {.done = static_cast<double>(steps_done()) / in_epoch,
          .epochs = epochs,
          .at_s = at_s,
          .spacing = spacing};
}

std::optional<forecast::Forecast> Eta::forecast_at(double now_s) const {
  return forecast_ ? std::optional(forecast::shifted_if_overdue(*forecast_, last_seen(), now_s))
                   : std::nullopt;
}

std::string Eta::place() const {
  return length_.steps > 0
             ? fmt::format("step {} of {}", std::min(steps_done(), length_.steps), length_.steps)
             : fmt::format("epoch {} of {}", std::min(epochs_.done() + 1, length_.epochs),
                           length_.epochs);
}

bool Eta::is_done() const {
  return length_.steps > 0 ? steps_done() >= length_.steps : epochs_.done() >= length_.epochs;
}

forecast::RunSeries Eta::series() const {
  const bool by_epochs =
      !in_one_epoch() && (epochs_.count() > 1 || steps_.size() < forecast::fewest_iterations);
  auto series = by_epochs ? epochs_.until(length_.epochs) : of_steps();
  if (in_one_epoch()) {
    series.epochs = 1;
  } else if (length_.steps > 0) {
    const auto whole = forecast::epochs_of_steps(length_.steps, steps_per_epoch_);
    series.epochs = whole.epochs;
    series.unfinished = whole.unfinished;
  }
  return series;
}

forecast::RunSeries Eta::of_steps() const {
  forecast::RunSeries series{.before_s = first_step_start_s_,
                             .steps_per_epoch = steps_per_epoch(),
                             .work_per_epoch = static_cast<double>(steps_per_epoch()),
                             .epochs = length_.epochs,
                             .epochs_before = epochs_before()};
  for (const auto& step : steps_) {
    series.step_s.push_back(step.seconds);
    series.step_work.push_back(step.work);
  }
  if (!in_one_epoch()) {
    series.gaps_s = epochs_.gaps().seconds();
    series.after_epoch_s = mean(series.gaps_s).value_or(0);
  }
  return series;
}

std::string Eta::why_not_begin(std::int64_t epoch, double usable_s, double now_s) const {
  if (in_one_epoch() || epoch >= length_.epochs) {
    return "";
  }
  auto until_next = series();
  until_next.epochs = epoch + 1;
  until_next.unfinished = 0;
  return forecast::why_not_begin(until_next, length_.epochs, usable_s, now_s);
}

void Eta::watch(const Progress& progress) {
  length_.epochs = length_.epochs > 0 ? length_.epochs : progress.position.epochs.value_or(0);
  steps_per_epoch_ = progress.position.steps.value_or(steps_per_epoch_);
  add(progress.rows);
  if (!is_new_ || !length_.is_known() || progress.now_s < due_s_) {
    return;
  }
  is_new_ = false;
  const double began_s = cpu_clock_s(CLOCK_THREAD_CPUTIME_ID);
  auto answer = forecast::forecast(series());
  auto* found = std::get_if<forecast::Forecast>(&answer);
  forecast_ = found == nullptr ? std::nullopt : std::optional(std::move(*found));
  const double cost_s = cpu_clock_s(CLOCK_THREAD_CPUTIME_ID) - began_s;
  due_s_ = progress.now_s + std::max(least_wait_s, cost_s / share_of_time);
}

}  // namespace epochcast::runner
