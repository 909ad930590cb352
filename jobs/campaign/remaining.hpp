// The progress of a run, from the lines that it writes while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/forecast/efficiency/model_work.hpp"
#include "src/record/record.hpp"

namespace epochcast::jobs {

struct Progress {
  std::optional<double> elapsed_s;   ///< Until its end, or until now while it runs.
  std::optional<double> left_s;      ///< Forecast; nothing if it is too early for one.
  std::optional<double> left_low_s;  ///< Its prediction interval of 95 %.
  std::optional<double> left_high_s;
  std::optional<double> job_left_s;    ///< From now to the time limit of the running job.
  std::optional<std::int64_t> epoch;   ///< Epochs done.
  std::optional<std::int64_t> epochs;  ///< Epochs to do.
  std::optional<double> share;         ///< Part of all steps that are done, 0 to 1.
  std::string loss_name;               ///< The metric in `loss`; empty: none was reported yet.
  std::optional<double> loss;          ///< Of the last epoch.
  efficiency::WorkRates rates;         ///< Of the newest epoch or steps.
};

/// "0:05:07": hours, minutes and seconds.
std::string clock_text(double seconds);

/// "time limit in 0:30:00, needs about 1:10:00"; "" unless the forecast
/// passes the limit.
std::string limit_warning(const Progress& progress);

/// Reads the JSON lines beside `record`.
Progress progress_of(const std::string& record);

/// The progress that the rows of the first rank in a record show.
Progress progress_from(const record::Record& record);

/// Whether a run ended so close to the time limit of its job that the signal before the limit ended
/// it. `signal_lead_s`: the lead that the script requested; Slurm may send it 60 s earlier.
bool ended_at_limit(const record::Record& record, double signal_lead_s);

}  // namespace epochcast::jobs
