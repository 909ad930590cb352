// From samples of metrics to readings: where the epochs end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/progress/sources/metric_spec.hpp"
#include "src/measure/progress/sources/source.hpp"

namespace epochcast::progress::sources {

/// What was read before: a value of the same name and of the same or an earlier step. (Some
/// programs write their file again from its start.)
class KnownValues {
 public:
  /// Removes them from the sample.
  void drop_from(Sample& sample);
  const Remarks& dropped() const { return dropped_; }

 private:
  /// The last value that was read of each name: its step, else its epoch.
  std::map<std::string, std::int64_t> last_;
  Remarks dropped_;
};

/// The epoch that runs, by samples that name it, and how many steps an epoch has.
class RunningEpoch {
 public:
  /// The end of the epoch before, where the sample is of a later one.
  std::optional<TimedReading> move_to(const Sample& sample, double at_s);
  /// The end, if it had as many steps as the epoch before.
  std::optional<TimedReading> end_if_whole();
  std::optional<std::int64_t> epoch() const { return epoch_; }
  /// Of the step: how many of the epoch are done; empty: it is of the epoch before.
  std::optional<std::int64_t> steps_done(std::int64_t step) const;

 private:
  TimedReading end();

  std::optional<std::int64_t> epoch_;
  double last_s_ = 0;  ///< Of its last sample.
  std::optional<std::int64_t> last_step_;
  std::optional<std::int64_t> ended_step_;   ///< The last step of the epoch before.
  std::optional<std::int64_t> epoch_steps_;  ///< How many it had.
};

class SampleReadings {
 public:
  /// The samples of a run in the order of their times. The first epoch lasts from where the first
  /// file was begun or, where no file says so, from time 0. What was read before is left out. Where
  /// a sample shows that an earlier one was the last of its epoch, a reading with the earlier time
  /// comes first.
  std::vector<TimedReading> read(Sample sample, double at_s);
  /// There are no more samples. The last epoch counts if it had as many steps as the one before.
  std::vector<TimedReading> finish();

  const Remarks& remarks() const { return remarks_; }
  /// What was left out because it was read before.
  const Remarks& repeated() const { return known_.dropped(); }

 private:
  void place_by_fraction(const Sample& sample, double at_s, Reading& reading,
                         std::vector<TimedReading>& readings);

  std::optional<double> begun_s_;
  bool begun_ = false;
  KnownValues known_;
  std::optional<std::int64_t> last_ended_;
  RunningEpoch running_;
  double done_ = 0;  ///< The last fraction.
  double done_at_s_ = 0;
  Remarks remarks_;
};

}  // namespace epochcast::progress::sources
