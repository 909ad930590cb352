#include "src/runner/limit.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/core/signals.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/checkpoint_lead.hpp"

namespace epochcast::runner {
namespace {

constexpr double grace_s = 25;  ///< For the program; the keeper adds its own.

}  // namespace

Limit::Limit(const attempt::JobLimit& job, const RunnerOptions& options, process::Keeper& keeper,
             const StopFile& stop, bool is_first)
    : job_(job),
      end_s_(job.end_s),
      signal_(signal_number(options.checkpoint_signal).value_or(0)),
      lead_s_(run::checkpoint_lead_s(options.checkpoint_lead.value, end_s_.value_or(HUGE_VAL))),
      keeper_(keeper),
      stop_(stop),
      after_epoch_(stop.path().string() + ".after_epoch", is_first),
      is_first_(is_first) {}

void Limit::watch(double now_s) {
  if (end_s_ && signal_ != 0 && now_s >= *end_s_ - lead_s_ && take()) {
    stop_.create({fmt::format("{} {} before the time limit", signal_name(signal_),
                              format_duration(lead_s_))});
    keeper_.signal(signal_);
  }
}

std::string Limit::watch_epochs(const Eta& eta, const Progress& progress) {
  constexpr double least_s = 1;  // between two forecasts
  constexpr double share_of_time = 0.05;
  const double now_s = progress.now_s;
  if ((!job_.by_epochs() && !job_.stops_if_over()) || is_asked_) {
    return "";
  }
  has_ended_ = has_ended_ || !progress.rows.epochs.empty();
  const bool is_due =
      has_ended_ ? now_s >= looked_s_ + least_s
                 : now_s >= looked_ahead_s_ +
                                (is_first_ ? std::max(least_s, share_of_time * now_s) : least_s);
  if (!is_due) {
    return "";
  }
  looked_ahead_s_ = now_s;
  if (!is_first_) {
    follow();
    return "";
  }
  if (std::exchange(has_ended_, false)) {
    looked_s_ = now_s;
    reason_ = why_stop(eta, eta.epochs_done(), now_s);
    if (!reason_.empty()) {
      ask();
      return reason_;
    }
  }
  reason_ = why_stop(eta, eta.epochs_done() + 1, now_s);
  if (reason_.empty()) {
    after_epoch_.remove();
  } else {
    after_epoch_.create({reason_});
  }
  return "";
}

/// The first rank.
void Limit::follow() {
  const auto request = stop_.request();
  if (!request.reason.empty() && !request.pilot_done) {
    ask();
  }
}

/// Why `epoch`, from 0, should not begin.
std::string Limit::why_stop(const Eta& eta, std::int64_t epoch, double now_s) const {
  if (!end_s_) {
    return "";
  }
  const double usable_s = std::min(job_.usable_s(), *end_s_ - lead_s_);
  auto why = job_.by_epochs() ? eta.why_not_begin(epoch, usable_s, now_s) : "";
  if (const auto whole = eta.forecast_at(now_s); why.empty() && whole && job_.stops_if_over()) {
    why = forecast::over_limit_text(whole->total_s.interval_95.low - now_s, *end_s_ - now_s);
  }
  return why;
}

void Limit::ask() {
  is_asked_ = true;
  stop_.create({reason_});
  if (signal_ != 0 && take()) {
    keeper_.signal(signal_);
  }
}

std::optional<std::string> Limit::warning(const forecast::Forecast& forecast,
                                          std::int64_t epochs_done, double now_s) {
  // Before two epochs have ended, only a forecast that is wholly after the end is trusted.
  if (warned_ || !end_s_ ||
      (epochs_done > 1 ? forecast.total_s.value : forecast.total_s.interval_80.low) <= *end_s_) {
    return std::nullopt;
  }
  warned_ = true;
  const auto duration = [](double s) { return format_duration(std::round(std::max(0.0, s))); };
  return fmt::format("warning: the job ends in {}, the command needs about {} more ({} to {}); {}",
                     duration(*end_s_ - now_s), duration(forecast.total_s.value - now_s),
                     duration(forecast.total_s.interval_95.low - now_s),
                     duration(forecast.total_s.interval_95.high - now_s),
                     signal_ != 0 ? fmt::format("{} will be sent to it {} before",
                                                signal_name(signal_), format_duration(lead_s_))
                                  : "ask for more time, or save checkpoints (--checkpoint-signal)");
}

std::string Pilot::what_is_done(const Progress& progress, double started_s) {
  if (options_.pilot_epochs > 0 && epochs_ >= options_.pilot_epochs) {
    return fmt::format("pilot of {} done",
                       counted(static_cast<std::size_t>(options_.pilot_epochs), "epoch"));
  }
  const double time_s = options_.pilot_time.value;
  if (time_s > 0 && progress.now_s - started_s >= time_s) {
    return fmt::format("pilot of {} done", to_text(options_.pilot_time));
  }
  if (options_.pilot_epochs > 0 && !is_first_ && progress.now_s - looked_s_ >= 1) {
    looked_s_ = progress.now_s;
    const auto request = stop_.request();
    return request.pilot_done ? request.reason : "";
  }
  return "";
}

void Pilot::watch(const Progress& progress, double started_s) {
  epochs_ += std::ssize(progress.rows.epochs);
  if (done_.empty()) {
    done_ = what_is_done(progress, started_s);
    if (!done_.empty()) {
      stopped_s_ = progress.now_s;
      stop_.create({done_, true});
      keeper_.signal(SIGTERM);
    }
  } else if (!ended_ && progress.now_s - stopped_s_ >= grace_s) {
    ended_ = true;
    keeper_.end_all();
  }
}

}  // namespace epochcast::runner
