// What ends a program before its end: the time limit of the job, of which it warns once and before
// which it asks the program to save its state; a pilot.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "src/base/process/keeper.hpp"
#include "src/forecast/run/forecast.hpp"
#include "src/record/record.hpp"
#include "src/runner/options.hpp"
#include "src/runner/recorder.hpp"
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

/// Ends a program after its pilot: a part of the run from which the whole is forecast.
class Pilot {
 public:
  /// Of several ranks, the first counts epochs; the others follow its stop file.
  Pilot(const RunnerOptions& options, process::Keeper& keeper, const StopFile& stop, bool is_first)
      : options_(options), keeper_(keeper), stop_(stop), is_first_(is_first) {}

  /// Stops the program once the pilot is done: creates the stop file and sends SIGTERM; after a
  /// grace time, ends it with all its processes.
  void watch(const Progress& progress, double started_s);
  /// "pilot of 2 epochs done"; empty if it is not, or none was asked for.
  const std::string& done() const { return done_; }

 private:
  std::string what_is_done(const Progress& progress, double started_s);

  const RunnerOptions& options_;
  process::Keeper& keeper_;
  const StopFile& stop_;
  bool is_first_;
  std::int64_t epochs_ = 0;
  std::string done_;
  double looked_s_ = 0;  ///< At the stop file of the first rank.
  double stopped_s_ = 0;
  bool ended_ = false;
};

}  // namespace epochcast::runner
