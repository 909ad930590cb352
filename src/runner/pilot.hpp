// Ends a program after its pilot: a part of the run from which the whole is forecast.
#pragma once

#include <string>

#include "src/base/process/keeper.hpp"
#include "src/runner/options.hpp"
#include "src/runner/recorder.hpp"
#include "src/runner/stop_file.hpp"

namespace epochcast::runner {

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
