// Batch norm over the batches of all processes together, so that k of them normalize as one with
// the k-fold batch does.
#pragma once

#include "src/torch/base/replicas.hpp"

namespace epochcast::libtorch {

/// torch::nn::BatchNorm2d, whose parameters, buffers and names it has; with one process it computes
/// the same. Every process must run the same forward and backward passes in the same order. The
/// gradients of weight and bias are this process's own, to be averaged as all others are: so does
/// torch.nn.SyncBatchNorm of PyTorch.
class SyncBatchNorm2dImpl : public torch::nn::BatchNorm2dImpl {
 public:
  /// `replicas` outlives the layer.
  SyncBatchNorm2dImpl(const torch::nn::BatchNorm2dOptions& how, Replicas& replicas)
      : BatchNorm2dImpl(how), replicas_(&replicas) {}

  /// (N, C, H, W) to the same; in training two exchanges, one forward and one backward.
  torch::Tensor forward(const torch::Tensor& input);

 private:
  Replicas* replicas_;
};
TORCH_MODULE(SyncBatchNorm2d);

}  // namespace epochcast::libtorch
