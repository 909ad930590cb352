#include "src/runner/eta.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/core/clock.hpp"
#include "src/forecast/run/overdue.hpp"
#include "src/record/queries.hpp"

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
  return forecast::why_not_begin(run_, epoch, length_.epochs, usable_s, now_s);
}

void Eta::watch(const Progress& progress) {
  const auto epochs = progress.position.epochs;
  const auto steps = progress.position.steps.value_or(0);
  auto& parameters = record_.parameters;
  parameters.insert(parameters.end(), progress.stated.begin(), progress.stated.end());
  if (epochs && record::parameter(record_, "epochs").empty()) {
    parameters.push_back({.name = "epochs", .value = std::to_string(*epochs)});
  }
  if (steps > 0 && record_.work.empty()) {
    record_.work.push_back({.iterations_per_epoch = steps});
    run_.set_steps_per_epoch(steps);
  }
  const auto& rows = progress.rows;
  if (!rows.epochs.empty()) {
    record_.epochs = {rows.epochs.back()};
  }
  run_.add(rows.spans, rows.iterations, rows.epochs);
  is_new_ = is_new_ || !rows.epochs.empty() || !rows.iterations.empty();
  if (is_new_) {
    length_ = forecast::length_of_running(record_);
  }
  if (!is_new_ || !length_.is_known() || progress.now_s < due_s_) {
    return;
  }
  is_new_ = false;
  const double began_s = cpu_clock_s(CLOCK_THREAD_CPUTIME_ID);
  forecast_ = forecast::forecast_of_running(run_, length_);
  const double cost_s = cpu_clock_s(CLOCK_THREAD_CPUTIME_ID) - began_s;
  due_s_ = progress.now_s + std::max(least_wait_s, cost_s / share_of_time);
}

}  // namespace epochcast::runner
