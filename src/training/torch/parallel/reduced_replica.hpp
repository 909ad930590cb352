// A network whose gradients c10d's Reducer averages over all ranks, in buckets, while the backward
// pass still runs: what PyTorch's DistributedDataParallel does.
#pragma once

#include <memory>
#include <vector>

#include "src/training/torch/base/replicas.hpp"
#include "src/training/torch/parallel/guarded_group.hpp"

namespace epochcast::libtorch {

class ReducedReplica : public Replica {
 public:
  /// Gives `network` the parameters and buffers of rank 0.
  ReducedReplica(torch::nn::Module& network, c10::intrusive_ptr<GuardedGroup> group);

  void before_forward() override;
  void before_backward() override;

 private:
  void take_from_first(const std::vector<torch::Tensor>& tensors);

  c10::intrusive_ptr<GuardedGroup> group_;
  std::vector<torch::Tensor> buffers_;
  std::unique_ptr<c10d::Reducer> reducer_;
};

}  // namespace epochcast::libtorch
