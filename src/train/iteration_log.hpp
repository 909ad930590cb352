// Rows of steps on their way to the record, in order: on a GPU a step's device time is known only
// some steps later, and nobody waits for it.
#pragma once

#include <deque>

#include "src/train/rank_rows.hpp"
#include "src/train/workload.hpp"

namespace epochcast::train {

class IterationLog {
 public:
  /// `awaits_device_times`: rows are held back until their device time arrives or settle() is
  /// called.
  IterationLog(RankRows& rows, Workload& workload, bool awaits_device_times)
      : rows_(rows), workload_(workload), awaits_device_times_(awaits_device_times) {}

  /// Takes the row of the step just issued and passes on all rows that are complete, in order.
  void add(const record::Iteration& row);

  /// Passes on all rows; call it when the device is idle, so that every device time is there.
  void settle();

 private:
  struct Pending {
    record::Iteration row;
    bool complete;
  };
  void take_device_times();
  void pass_on(bool incomplete_too);

  RankRows& rows_;
  Workload& workload_;
  bool awaits_device_times_;
  std::int64_t passed_on_ = 0;  ///< Steps of this attempt whose rows are passed on.
  std::deque<Pending> pending_;
};

}  // namespace epochcast::train
