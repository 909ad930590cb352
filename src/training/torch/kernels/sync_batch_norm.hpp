// Batch norm over the batches of all processes together, so that k processes normalize as one
// process with a k times larger batch.
#pragma once

#include "src/training/torch/base/replicas.hpp"

namespace epochcast::libtorch {

/// Has the parameters, buffers and names of torch::nn::BatchNorm2d and, with one process, computes
/// the same. Every process must run the same forward and backward passes in the same order. The
/// gradients of weight and bias are those of this process only and are averaged later like all
/// other gradients, as in PyTorch's torch.nn.SyncBatchNorm.
class SyncBatchNorm2dImpl : public torch::nn::BatchNorm2dImpl {
 public:
  /// `replicas` must outlive the layer.
  SyncBatchNorm2dImpl(const torch::nn::BatchNorm2dOptions& how, Replicas& replicas)
      : BatchNorm2dImpl(how), replicas_(&replicas) {}

  /// Normalizes `input` (N, C, H, W) and returns the same shape. In training this takes two
  /// exchanges, one in the forward and one in the backward pass.
  torch::Tensor forward(const torch::Tensor& input);

 private:
  Replicas* replicas_;
};
TORCH_MODULE(SyncBatchNorm2d);

}  // namespace epochcast::libtorch
