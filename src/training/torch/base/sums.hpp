// Sums over samples of the values that a network reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/training/loop/workload.hpp"
#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// The sums are on the device and in double precision, so adding to them does not wait for the
/// device.
class Sums {
 public:
  Sums(std::vector<std::string> names, const torch::Device& device)
      : names_(std::move(names)),
        sums_(torch::zeros({std::int64_t(names_.size())},
                           torch::device(device).dtype(torch::kDouble))),
        each_(sums_.unbind()) {}

  /// Adds one scalar per name, each a sum over samples that count() counts.
  void add(const std::vector<torch::Tensor>& values);
  void count(std::int64_t samples) { samples_ += samples; }
  void clear();

  /// The mean over the samples for every name; empty before the first sample. Waits for the device.
  train::Metrics means() const;

  torch::Tensor tensor() const { return sums_; }
  std::int64_t samples() const { return samples_; }
  /// Sets the number of samples after tensor() was restored from a checkpoint.
  void set_samples(std::int64_t samples) { samples_ = samples; }

 private:
  void add_on_host(const std::vector<torch::Tensor>& values);

  std::vector<std::string> names_;
  torch::Tensor sums_;
  std::vector<torch::Tensor> each_;  ///< Views of `sums_`, created once.
  std::int64_t samples_ = 0;
};

}  // namespace epochcast::libtorch
