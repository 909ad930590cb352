// The steps of all ranks on their way to the one record, and who of them was slow.
#pragma once

#include <cstdint>
#include <vector>

#include "src/record/writer.hpp"
#include "src/train/team.hpp"
#include "src/train/workload.hpp"

namespace epochcast::train {

/// The mean over the ranks of every metric, which all ranks give in the same order.
Metrics mean_of(Team& team, Metrics metrics);

class RankRows {
 public:
  RankRows(Team& team, record::RecordWriter& record) : team_(team), record_(record) {}

  /// A step of this rank. On rank 0 it goes to the record, elsewhere it waits for share().
  void add(record::Iteration row);

  /// Called by all ranks together: brings the steps of the others to the record. Returns how many
  /// samples all ranks have trained on since the last call, on rank 0.
  std::int64_t share();

  /// Of the steps that the last share() brought together, on rank 0; empty for one rank.
  /// gradient_sync_wait_s: seconds a step waited for other ranks' gradients, mean over all;
  /// slowest_rank and slowest_rank_s: who needed longest for a step of its own, that wait left out,
  /// and how long.
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
  std::vector<record::Iteration> rows_;  ///< Of this rank, since the last share().
  std::vector<Sum> sums_;                ///< By rank.
};

}  // namespace epochcast::train
