#include "src/runner/eta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "src/base/core/clock.hpp"

namespace epochcast::runner {
namespace {

constexpr double least_wait_s = 1;
constexpr double share_of_time = 0.001;

}  // namespace

std::optional<forecast::Forecast> Eta::forecast_at(double now_s) const {
  return forecast_ ? std::optional(
                         forecast::shifted_if_overdue(*forecast_, run_.last_seen(length_), now_s))
                   : std::nullopt;
}

std::string Eta::place() const {
  return length_.steps > 0
             ? fmt::format("step {} of {}", std::min(run_.steps_done(length_), length_.steps),
                           length_.steps)
             : fmt::format("epoch {} of {}", std::min(epochs_done() + 1, length_.epochs),
                           length_.epochs);
}

bool Eta::is_done() const {
  return length_.steps > 0 ? run_.steps_done(length_) >= length_.steps
                           : epochs_done() >= length_.epochs;
}

std::string Eta::why_not_begin(std::int64_t epoch, double usable_s, double now_s) const {
  if (run_.epochs() == 0 || epoch >= length_.epochs) {
    return "";
  }
  return forecast::why_not_begin(run_.series({.epochs = epoch + 1}), length_.epochs, usable_s,
                                 now_s);
}

void Eta::watch(const Progress& progress) {
  length_.epochs = length_.epochs > 0 ? length_.epochs : progress.position.epochs.value_or(0);
  if (progress.position.steps) {
    run_.set_steps_per_epoch(*progress.position.steps);
  }
  const auto& rows = progress.rows;
  run_.add(rows.spans, rows.iterations, rows.epochs);
  is_new_ = is_new_ || !rows.epochs.empty() || !rows.iterations.empty();
  if (!is_new_ || !length_.is_known() || progress.now_s < due_s_) {
    return;
  }
  is_new_ = false;
  const double began_s = cpu_clock_s(CLOCK_THREAD_CPUTIME_ID);
  auto answer = forecast::forecast(run_.series(length_));
  auto* found = std::get_if<forecast::Forecast>(&answer);
  forecast_ = found == nullptr ? std::nullopt : std::optional(std::move(*found));
  const double cost_s = cpu_clock_s(CLOCK_THREAD_CPUTIME_ID) - began_s;
  due_s_ = progress.now_s + std::max(least_wait_s, cost_s / share_of_time);
}

}  // namespace epochcast::runner
