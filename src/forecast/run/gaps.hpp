// What lies between epochs: evaluation, checkpoint and all else that is in no epoch's time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::forecast {

/// Collects the times after the epochs of one record, in order. Keeps a bounded number of them.
class Gaps {
 public:
  /// `once_s`: a time between the start of this epoch and that of the next one that no other epoch
  /// needs.
  void add(const record::Epoch& epoch, double once_s = 0);

  /// The run was seen until `now_s`, and its next epoch had not begun before: what follows the last
  /// one takes at least until then.
  void seen_until(double now_s) { seen_until_s_ = now_s; }
  double seen_until_s() const { return seen_until_s_; }

  /// The time after each epoch: until the next one began by their stamps, so that an evaluation
  /// that runs beside the next epoch counts only as far as it delays it. Without such stamps
  /// (another attempt, an epoch that is missing) the evaluation and the checkpoint of the epoch.
  /// What follows the last epoch is open: it is a lower bound, and counts where it is longer
  /// already than the mean of those before; of a single epoch its own evaluation and checkpoint
  /// count.
  std::vector<double> seconds() const;

 private:
  struct Ended {
    record::Epoch epoch;
    double once_s = 0;
  };
  std::vector<double> closed_s_;
  std::optional<Ended> last_;
  double seen_until_s_ = 0;
};

/// The time from the end of `epoch` to the start of `next`, without `once_s` (Gaps::add): by their
/// stamps, or where there are none, or another epoch is between them, the evaluation and the
/// checkpoint of `epoch`.
double between_epochs_s(const record::Epoch& epoch, const record::Epoch& next, double once_s);

/// The time in which it was measured which kernels are the fastest (choose_kernels), of each epoch.
/// It is between the stamps of epochs but in no epoch's time, and later epochs and runs need none.
class KernelChoices {
 public:
  /// Any span; others have no effect.
  void add(const record::Span& span);
  double seconds(std::int64_t epoch) const;

 private:
  std::map<std::int64_t, double> seconds_;
};

}  // namespace epochcast::forecast
