#include "src/torch/sums.hpp"

namespace epochcast {

void Sums::add(const std::vector<torch::Tensor>& values, std::int64_t samples) {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < values.size(); ++i) {
    each_[i].add_(values[i]);
  }
  samples_ += samples;
}

void Sums::clear() {
  sums_.zero_();
  samples_ = 0;
}

Metrics Sums::means() const {
  Metrics means;
  if (samples_ == 0) {
    return means;
  }
  const auto sums = sums_.cpu();
  for (std::int64_t i = 0; const auto& name : names_) {
    means.emplace_back(name, sums[i++].item<double>() / double(samples_));
  }
  return means;
}

}  // namespace epochcast
