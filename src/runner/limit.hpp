// What ends a program before its end: the time limit of the job, of which it warns once and before
// which it asks the program to save its state, or to stop after an epoch; a pilot.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "src/base/process/keeper.hpp"
#include "src/forecast/run/forecast.hpp"
#include "src/measure/attempt/job_limit.hpp"
#include "src/runner/eta.hpp"
#include "src/runner/options.hpp"
#include "src/runner/recorder.hpp"
#include "src/runner/stop_file.hpp"

namespace epochcast::runner {

class Limit {
 public:
  /// Of several ranks, the first knows when epochs end; the others follow its stop file.
  Limit(const attempt::JobLimit& job, const RunnerOptions& options, process::Keeper& keeper,
        const StopFile& stop, bool is_first);

  /// Sends the signal of --checkpoint-signal once, --checkpoint-lead before the end of the job.
  void watch(double now_s);
  /// Where an epoch has ended and, by --near-limit or --over-limit, none should follow: asks the
  /// program to stop, by the stop file and the signal, and returns why; else "". While the epoch
  /// runs after which none should follow, the stop file with ".after_epoch" at its end is there:
  /// the program may look before its epoch is known to have ended.
  std::string watch_epochs(const Eta& eta, const Progress& progress);
  /// Why a program that ended early, and was sent no other signal, was asked to stop after an
  /// epoch; "" if it was not.
  std::string reason() const { return is_asked_ || sent_ == 0 ? reason_ : ""; }
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
  std::string why_stop(const Eta& eta, std::int64_t epoch, double now_s) const;
  void follow();
  void ask();

  attempt::JobLimit job_;
  std::optional<double> end_s_;
  int signal_ = 0;
  double lead_s_;
  process::Keeper& keeper_;
  const StopFile& stop_;
  StopFile after_epoch_;
  bool is_first_;
  std::string reason_;
  bool is_asked_ = false;
  bool has_ended_ = false;     ///< An epoch, since the last look at what follows one.
  double looked_s_ = 0;        ///< At what follows an epoch that has ended,
  double looked_ahead_s_ = 0;  ///< or one that runs.
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
