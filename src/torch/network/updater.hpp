// What stands between a backward pass and the optimizer: the scale of the loss that keeps fp16's
// gradients from vanishing, and the clipping of the gradient.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "src/torch/base/named_tensors.hpp"
#include "src/torch/network/optimizer.hpp"

namespace epochcast::libtorch {

/// Scales the loss by what gradients can bear, as torch.amp.GradScaler does with its defaults
/// (2.11): from 65536 on, halved if a gradient is not finite, doubled after 2000 updates
/// without.
class LossScale {
 public:
  explicit LossScale(const torch::Device& device);

  const torch::Tensor& factor() const { return factor_; }

  /// Takes the factor out of `gradients` and adapts it for the next update. False where a gradient
  /// is not finite, so that there must be no update. Waits for the device.
  bool take_out_of(const std::vector<torch::Tensor>& gradients);

  std::int64_t skipped() const { return skipped_.item<std::int64_t>(); }
  NamedTensors state(const std::string& prefix) const;

 private:
  torch::Tensor factor_;
  torch::Tensor good_updates_;  ///< Since the factor was changed.
  torch::Tensor skipped_;       ///< Updates, of the whole run; on the host.
};

/// Shortens `gradients`, seen as one vector, to `longest` where it is longer. As PyTorch's
/// clip_grad_norm_, which divides by the norm + 1e-6.
void clip_norm(const std::vector<torch::Tensor>& gradients, double longest);

class Updater {
 public:
  /// `longest`: gradient, 0: any. `scaled`: with a LossScale.
  Updater(std::unique_ptr<Optimizer> optimizer, double longest, bool scaled);

  Optimizer& optimizer() { return *optimizer_; }

  /// What backward begins with where the gradient asked for is `weight` times the loss's.
  torch::Tensor gradient_of_loss(const torch::Tensor& loss, double weight);

  /// One update from the gradients that have gathered, those of all ranks averaged; none where one
  /// of them is not finite in fp16.
  void update();

  std::int64_t skipped() const { return scale_ ? scale_->skipped() : 0; }
  NamedTensors state() const;

 private:
  std::unique_ptr<Optimizer> optimizer_;
  double longest_;
  std::optional<LossScale> scale_;
  double weight_ = 0;  ///< That of `gradient_`.
  torch::Tensor gradient_;
};

}  // namespace epochcast::libtorch
