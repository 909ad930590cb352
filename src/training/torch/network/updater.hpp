// The part between a backward pass and the optimizer: the loss scale that keeps fp16 gradients from
// vanishing, and the clipping of the gradient.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "src/training/torch/base/named_tensors.hpp"
#include "src/training/torch/network/optimizer.hpp"

namespace epochcast::libtorch {

/// Scales the loss by a factor that adapts to the range of the gradients, as torch.amp.GradScaler
/// does with its defaults (2.11). The factor starts at 65536, is halved if a gradient is not
/// finite, and is doubled after 2000 updates without a gradient that is not finite.
class LossScale {
 public:
  explicit LossScale(const torch::Device& device);

  const torch::Tensor& factor() const { return factor_; }

  /// Divides `gradients` by the factor and adapts the factor for the next update. Returns false if
  /// a gradient is not finite; then there must be no update. Waits for the device.
  bool take_out_of(const std::vector<torch::Tensor>& gradients);

  std::int64_t skipped() const { return skipped_.item<std::int64_t>(); }
  NamedTensors state(const std::string& prefix) const;

 private:
  torch::Tensor factor_;
  torch::Tensor good_updates_;  ///< Since the last change of the factor.
  torch::Tensor skipped_;       ///< Skipped updates of the whole run; on the host.
};

/// Scales `gradients`, taken as one vector, down to the norm `longest` if their norm is larger. As
/// in PyTorch's clip_grad_norm_, the divisor is the norm + 1e-6.
void clip_norm(const std::vector<torch::Tensor>& gradients, double longest);

class Updater {
 public:
  /// `longest`: maximum gradient norm; 0: no limit. `scaled`: use a LossScale.
  Updater(std::unique_ptr<Optimizer> optimizer, double longest, bool scaled);

  Optimizer& optimizer() { return *optimizer_; }

  /// The initial gradient for the backward pass of `loss` if the gradients of `weight` times the
  /// loss are needed.
  torch::Tensor gradient_of_loss(const torch::Tensor& loss, double weight);

  /// Performs one update from the accumulated gradients, averaged over all ranks. With fp16, it
  /// skips the update if a gradient is not finite.
  void update();

  std::int64_t skipped() const { return scale_ ? scale_->skipped() : 0; }
  NamedTensors state() const;

 private:
  std::unique_ptr<Optimizer> optimizer_;
  double longest_;
  std::optional<LossScale> scale_;
  std::map<double, torch::Tensor> gradients_of_loss_;  ///< By weight; captured steps read them.
};

}  // namespace epochcast::libtorch
