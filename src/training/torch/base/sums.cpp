#include "src/training/torch/base/sums.hpp"

namespace epochcast::libtorch {

void Sums::add(const std::vector<torch::Tensor>& values) {
  const torch::NoGradGuard no_grad;
  if (sums_.is_cpu()) {
    add_on_host(values);
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      each_[i].add_(values[i]);
    }
  }
}

/// Uses a loop, because one LibTorch operator takes some microseconds, 1/100 of a step of the
/// smallest network.
void Sums::add_on_host(const std::vector<torch::Tensor>& values) {
  auto* sums = sums_.data_ptr<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[i] += values[i].item<double>();
  }
}

void Sums::clear() {
  sums_.zero_();
  samples_ = 0;
}

train::Metrics Sums::means() const {
  train::Metrics means;
  if (samples_ == 0) {
    return means;
  }
  const auto sums = sums_.cpu();
  for (std::int64_t i = 0; const auto& name : names_) {
    means.emplace_back(name, sums[i++].item<double>() / double(samples_));
  }
  return means;
}

}  // namespace epochcast::libtorch
