// The time limit of the job: warns once if the forecast passes it, and asks the program to save its
// state before it.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "src/base/process/keeper.hpp"
#include "src/forecast/run/forecast.hpp"
#include "src/record/record.hpp"
#include "src/runner/options.hpp"
#include "src/runner/stop_file.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::runner {

/// When the job ends on the clock of the record: SLURM_JOB_END_TIME, else what Slurm told about the
/// job when the record was begun. std::nullopt: no limit, or none is known.
std::optional<double> job_end_s(const record::Record& start, const slurm::Environment& environment,
                                double now_s);

class Limit {
 public:
  Limit(std::optional<double> end_s, const RunnerOptions& options, process::Keeper& keeper,
        const StopFile& stop);

  /// Sends the signal of --checkpoint-signal once, --checkpoint-lead before the end of the job.
  void watch(double now_s);
  /// A warning, once, if the program will probably not be done before the end of the job.
  std::optional<std::string> warning(const forecast::Forecast& forecast, std::int64_t epochs_done,
                                     double now_s);
  /// The signal of --checkpoint-signal; 0: none.
  int signal() const { return signal_; }
  /// Whether that signal is still to be sent. It counts as sent from then on.
  bool take() { return sent_.exchange(signal_) == 0; }
  /// The signal that was sent; 0: none was.
  int sent() const { return sent_; }

 private:
  std::optional<double> end_s_;
  int signal_ = 0;
  double lead_s_;
  process::Keeper& keeper_;
  const StopFile& stop_;
  std::atomic<int> sent_ = 0;  ///< The recorder's thread and that of the signals set it.
  bool warned_ = false;
};

}  // namespace epochcast::runner
