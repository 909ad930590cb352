// Sums over samples of what a network reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/torch/base/torch.hpp"
#include "src/train/workload.hpp"

namespace epochcast::libtorch {

/// Kept on the device and in double precision, so that adding waits for nothing.
class Sums {
 public:
  Sums(std::vector<std::string> names, const torch::Device& device)
      : names_(std::move(names)),
        sums_(torch::zeros({std::int64_t(names_.size())},
                           torch::device(device).dtype(torch::kDouble))),
        each_(sums_.unbind()) {}

  /// One scalar a name, each a sum over `samples`.
  void add(const std::vector<torch::Tensor>& values, std::int64_t samples);
  void clear();

  /// A mean over the samples for every name; none before the first sample. Waits for the device.
  train::Metrics means() const;

  torch::Tensor tensor() const { return sums_; }
  std::int64_t samples() const { return samples_; }
  /// For sums whose tensor was restored.
  void set_samples(std::int64_t samples) { samples_ = samples; }

 private:
  void add_on_host(const std::vector<torch::Tensor>& values);

  std::vector<std::string> names_;
  torch::Tensor sums_;
  std::vector<torch::Tensor> each_;  ///< Views of `sums_`, made once.
  std::int64_t samples_ = 0;
};

}  // namespace epochcast::libtorch
