// How long a run that goes on still takes: the one answer of the trainer's own line, epochcast-run,
// `status`, `run` and `retry`, and whether that is before its job ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/forecast/run/forecast.hpp"
#include "src/forecast/run/observed_run.hpp"
#include "src/forecast/run/run_length.hpp"

namespace epochcast::forecast {

/// The forecast of this attempt from its first to its last step; nothing: it is too early, or the
/// length is not known. Epochs and steps before the first row were done by an earlier attempt.
std::optional<Forecast> forecast_of_running(const ObservedRun& run, const RunLength& length);

/// What is left of it at `now_s`, later by as much as the run is late (overdue_s()). Takes up to
/// 0.4 ms.
std::optional<Prediction> left_s(const ObservedRun& run, const RunLength& length, double now_s);

/// "epoch 3 of 10 needs up to 12m, and the job has 9m30s left for it" if the upper end of the
/// forecast (95 %) of the run until `epoch`, from 0, has ended is after `usable_s`; "" if it is
/// not, is none of the `of` epochs, or none has ended yet. Times are on the clock of the record.
std::string why_not_begin(const ObservedRun& run, std::int64_t epoch, std::int64_t of,
                          double usable_s, double now_s);

/// "the run cannot end within its limit: it needs at least 40m more, and the job ends in 9m" if
/// `least_left_s` is more than that; else "".
std::string over_limit_text(double least_left_s, double job_left_s);

}  // namespace epochcast::forecast
