// The processes that train one network together, as seen by the step of the network. The step
// announces its forward and backward passes, and the gradients are averaged while they are
// computed. With one process nothing happens.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "src/training/torch/base/device.hpp"
#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// One set of parameters that is updated together (a network, or one network of a pair), on all
/// processes.
class Replica {
 public:
  virtual ~Replica() = default;

  /// Call it before the forward passes of a step: the buffers become those of rank 0.
  virtual void before_forward() = 0;

  /// The next backward pass averages the gradients over all processes, including what earlier
  /// passes accumulated in them. It must reach every parameter. A pass that is not announced
  /// averages nothing, so a step with several backward passes announces only the last one.
  virtual void before_backward() = 0;
};

class Replicas {
 public:
  virtual ~Replicas() = default;

  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;
  /// The number of these processes on this node.
  virtual std::int64_t size_on_node() const = 0;

  /// Gives `network`, which must already be on its device, the parameters and buffers of rank 0.
  /// The result refers to the tensors of `network` and must be destroyed before it.
  virtual std::unique_ptr<Replica> join(torch::nn::Module& network) = 0;

  /// Replaces `values`, on the network's device, by their sum over all processes. It is for values
  /// that a pass exchanges before its gradients. All processes call it in the same order.
  virtual void all_reduce(torch::Tensor& /*values*/) {}

  /// Seconds that passes waited for other processes since the last call, on CPUs.
  virtual double take_gradient_sync_wait_s() { return 0; }
  /// The same on a GPU: the spans in which its stream waited.
  virtual std::vector<DeviceSpan> take_exchange_spans() { return {}; }
};

/// A single process without others.
Replicas& alone();

}  // namespace epochcast::libtorch
