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

class SampleReadings {
 public:
  /// The samples of a run in the order of their times. The first epoch lasts from where the first
  /// file was begun or, where no file says so, from time 0. What was read before is left out: a
  /// value of the same name and of the same or an earlier step. (Some programs write their file
  /// again from its start.) Where a sample shows that an earlier one was the last of its epoch, a
  /// reading with the earlier time comes first.
  std::vector<TimedReading> read(Sample sample, double at_s);
  /// There are no more samples. The last epoch counts if it had as many steps as the one before.
  std::vector<TimedReading> finish();

  const Remarks& remarks() const { return remarks_; }
  /// What was left out because it was read before.
  const Remarks& repeated() const { return repeated_; }

 private:
  /// The epoch that runs, by its last sample.
  struct Running {
    std::optional<std::int64_t> epoch;
    double last_s = 0;
    std::optional<std::int64_t> last_step;
  };
  void drop_known_values(Sample& sample);
  void place_in_running_epoch(const Sample& sample, std::vector<TimedReading>& readings);
  void place_by_fraction(const Sample& sample, double at_s, Reading& reading,
                         std::vector<TimedReading>& readings);
  void end_running_epoch(std::vector<TimedReading>& readings);

  std::optional<double> begun_s_;
  bool begun_ = false;
  /// The last value that was read of each name: its step, else its epoch.
  std::map<std::string, std::int64_t> known_;
  std::optional<std::int64_t> last_ended_;
  Running running_;
  std::optional<std::int64_t> ended_step_;   ///< The last step of the epoch before.
  std::optional<std::int64_t> epoch_steps_;  ///< How many it had.
  double done_ = 0;                          ///< The last fraction.
  double done_at_s_ = 0;
  Remarks remarks_;
  Remarks repeated_;
};

}  // namespace epochcast::progress::sources
