// The data of one rank, on its device.
#pragma once

#include "src/training/loop/team.hpp"
#include "src/training/torch/run/open_data.hpp"

namespace epochcast::libtorch {

/// Throws Error on all ranks if the ranks of `team` have different numbers of samples: their
/// collective calls would not match.
void check_same_size(train::Team& team, std::int64_t samples);

/// The data of a rank. Its order and its division among the ranks are those of PyTorch's
/// DistributedSampler (src/training/ranks/shard.hpp), with drop_last from last_samples.
class RankData {
 public:
  /// Throws Error: a batch that no pass can fill, ranks with other numbers of samples, besides what
  /// opening the data set throws. What `options` and `team` refer to outlives this.
  RankData(const DataOptions& options, train::Team& team);

  /// Of a pass, on every rank.
  std::int64_t samples() const { return samples_; }
  /// Of a pass, on every rank.
  std::int64_t iterations() const;

  /// Starts pass `epoch` after its first `done` iterations.
  void start(std::int64_t epoch, std::int64_t done);
  /// The next batch; its inputs are undefined at the end of the pass.
  Samples next() { return batches_.next(); }

  /// Whether a pass over held-out samples has a batch, on some rank.
  bool has_held_out() const;
  /// Begins one: all ranks together score each sample once; those that pad shards a second time
  /// where the procedure is the published code's, which does so.
  void start_held_out();
  Samples next_held_out() { return held_out_->next(); }

  std::vector<std::string> notes() const;

 private:
  void check_batch() const;
  std::int64_t shard_size_of(const Dataset& data) const;
  std::vector<std::int64_t> shard_of_this(const std::vector<std::int64_t>& order) const;
  std::int64_t largest_held_out_part() const;
  std::vector<std::int64_t> held_out_part() const;

  DataOptions options_;
  train::Team& team_;
  std::unique_ptr<Dataset> data_;
  DeviceBatches batches_;
  std::optional<DeviceBatches> held_out_;
  std::int64_t samples_ = 0;
};

}  // namespace epochcast::libtorch
