// The processes that train one network together, as the network's step sees them: it announces its
// forward and backward passes, and gradients are averaged while they arise. With one process
// nothing happens.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "src/torch/base/device_span.hpp"
#include "src/torch/base/torch.hpp"

namespace epochcast::libtorch {

/// One set of parameters that is updated together (a network, or one of a pair), on all processes.
class Replica {
 public:
  virtual ~Replica() = default;

  /// Before the forward passes of a step: the buffers become those of rank 0.
  virtual void before_forward() = 0;

  /// The next backward pass averages the gradients over all processes, what earlier passes left in
  /// them included. It must reach every parameter. A pass that is not announced averages nothing:
  /// so a step with several backward passes announces the last one only.
  virtual void before_backward() = 0;
};

class Replicas {
 public:
  virtual ~Replicas() = default;

  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;
  /// The number of them on this node.
  virtual std::int64_t size_on_node() const = 0;

  /// Gives `network`, which stands on its device, the parameters and buffers of rank 0. The result
  /// refers to its tensors and dies before it.
  virtual std::unique_ptr<Replica> join(torch::nn::Module& network) = 0;

  /// `values`, on the network's device, become their sum over all processes. For what one pass
  /// exchanges before its gradients; all processes call it in the same order.
  virtual void all_reduce(torch::Tensor& /*values*/) {}

  /// Seconds for which passes waited for others since the last call, on CPUs.
  virtual double take_gradient_sync_wait_s() { return 0; }
  /// The same on a GPU: when its stream waited.
  virtual std::vector<DeviceSpan> take_exchange_spans() { return {}; }
};

/// One process on its own.
Replicas& alone();

}  // namespace epochcast::libtorch
