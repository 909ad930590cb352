#include "src/runner/limit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "src/base/core/signals.hpp"
#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"
#include "src/record/run/checkpoint_lead.hpp"

namespace epochcast::runner {

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

}  // namespace epochcast::runner
