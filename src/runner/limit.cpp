#include "src/runner/limit.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <cmath>
#include <ctime>

#include "src/base/core/signals.hpp"
#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"
#include "src/record/run/checkpoint_lead.hpp"

namespace epochcast::runner {
namespace {

constexpr double grace_s = 25;  ///< For the program; the keeper adds its own.

}  // namespace

std::optional<double> job_end_s(const record::Record& start, const slurm::Environment& environment,
                                double now_s) {
  if (const auto end = parse_integer(slurm::variable(environment, "SLURM_JOB_END_TIME"))) {
    return now_s + static_cast<double>(*end - std::time(nullptr));
  }
  const auto limit_s = record::time_limit_s(start);
  return limit_s && std::isfinite(*limit_s)
             ? std::optional(*limit_s - record::before_program_s(start))
             : std::nullopt;
}

Limit::Limit(std::optional<double> end_s, const RunnerOptions& options, process::Keeper& keeper,
             const StopFile& stop)
    : end_s_(end_s),
      signal_(signal_number(options.checkpoint_signal).value_or(0)),
      lead_s_(run::checkpoint_lead_s(options.checkpoint_lead.value, end_s.value_or(HUGE_VAL))),
      keeper_(keeper),
      stop_(stop) {}

void Limit::watch(double now_s) {
  if (end_s_ && signal_ != 0 && now_s >= *end_s_ - lead_s_ && take()) {
    stop_.create({fmt::format("{} {} before the time limit", signal_name(signal_),
                              format_duration(lead_s_))});
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
