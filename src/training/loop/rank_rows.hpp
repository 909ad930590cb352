// Collects the steps of all ranks and the peaks of their memory in the one record, and finds the
// slowest rank.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <type_traits>
#include <vector>

#include "src/record/writer.hpp"
#include "src/training/loop/team.hpp"
#include "src/training/loop/workload.hpp"

namespace epochcast::train {

/// The mean of every metric over the ranks. All ranks must have the metrics in the same order.
Metrics mean_of(Team& team, Metrics metrics);

class RankRows {
 public:
  RankRows(Team& team, record::RecordWriter& record) : team_(team), record_(record) {}

  /// Adds a step of this rank. Rank 0 records it at once, other ranks keep it for share().
  void add(record::Iteration row);

  /// Called by all ranks together: records the steps of the other ranks. Returns, on rank 0, the
  /// number of samples that all ranks have processed since the last call.
  std::int64_t share();

  /// Metrics of the steps in the last share(), on rank 0; empty for one rank. gradient_sync_wait_s:
  /// wait for the gradients of other ranks in seconds per step, mean over the ranks. slowest_rank
  /// and slowest_rank_s: the rank with the longest step without that wait, and its seconds per
  /// step.
  Metrics metrics() const;

 private:
  struct Sum {
    std::int64_t rank = 0;
    std::int64_t steps = 0;
    std::int64_t samples = 0;
    double own_s = 0;
    double gradient_sync_wait_s = 0;
  };
  static Sum sum_of(const std::vector<record::Iteration>& rows);

  Team& team_;
  record::RecordWriter& record_;
  std::vector<record::Iteration> rows_;  ///< Steps of this rank since the last share().
  std::vector<Sum> sums_;                ///< Indexed by rank.
};

/// The largest peaks of any rank so far: peak_memory_bytes of its process, peak_gpu_memory_bytes
/// and peak_gpu_memory_of_trials_bytes of its GPU; an unknown peak is omitted. Called by all ranks
/// together; empty except on rank 0.
Metrics peaks_of(Team& team, const Workload& workload);

/// Called by all ranks together. Returns the rows of every rank, by rank, on rank 0; an empty
/// vector on other ranks. Rows are sent as raw memory: the rendezvous checks that all ranks run the
/// same program.
template <class Row>
std::vector<std::vector<Row>> gather_rows(Team& team, const std::vector<Row>& own) {
  static_assert(std::is_trivially_copyable_v<Row>);
  const std::string bytes(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(Row));
  std::vector<std::vector<Row>> all;
  for (const auto& packed : team.gather(bytes)) {
    auto& rows = all.emplace_back(packed.size() / sizeof(Row));
    if (!rows.empty()) {
      std::memcpy(rows.data(), packed.data(), packed.size());
    }
  }
  return all;
}

/// Keeps the rows of steps in order before they reach the record: on a GPU, the device time of a
/// step is known only some steps later, and the loop does not wait for it.
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
