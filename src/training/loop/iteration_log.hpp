// Keeps the rows of steps in order before they reach the record: on a GPU, the device time of a
// step is known only some steps later, and the loop does not wait for it.
#pragma once

#include <deque>

#include "src/training/loop/rank_rows.hpp"
#include "src/training/loop/workload.hpp"

namespace epochcast::train {

class IterationLog {
 public:
  /// `awaits_device_times`: rows are kept until their device time arrives or finish() is called.
  IterationLog(RankRows& rows, Workload& workload, bool awaits_device_times)
      : rows_(rows), workload_(workload), awaits_device_times_(awaits_device_times) {}

  /// Adds the row of the step just issued and forwards all complete rows, in order.
  void add(const record::Iteration& row);

  /// Forwards all rows. Call it when the device is idle, so that every device time is known.
  void finish();

 private:
  struct Pending {
    record::Iteration row;
    bool complete;
  };
  void take_device_times();
  void forward(bool incomplete_too);

  RankRows& rows_;
  Workload& workload_;
  bool awaits_device_times_;
  std::int64_t forwarded_ = 0;  ///< Steps of this attempt whose rows are forwarded.
  std::deque<Pending> pending_;
};

}  // namespace epochcast::train
