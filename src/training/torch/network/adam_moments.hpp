// The common part of Adam and AdamW: running means of the gradients and of their squares, and the
// update computed from them.
#pragma once

#include "src/training/torch/network/optimizer.hpp"

namespace epochcast::libtorch {

/// beta1, beta2 and epsilon, with PyTorch's defaults.
std::vector<run::OptionSpec> adam_options();

/// The moments of parameters that are updated in the same way.
class AdamMoments {
 public:
  /// `options` must include the options of adam_options().
  AdamMoments(const run::OptionValues& options, Procedure procedure,
              std::vector<torch::Tensor> parameters);

  /// Performs one update. The decay is the one of AdamW (Loshchilov and Hutter, 2019): before the
  /// step, parameters shrink by the fraction learning_rate * weight_decay, independently of the
  /// gradients. Same computation as torch.optim.Adam and torch.optim.AdamW. `on_gpu`: the learning
  /// rate as Optimizer::learning_rate_on_gpu() gives it.
  void update(const std::vector<torch::Tensor>& gradients, double learning_rate,
              const torch::Tensor& on_gpu, double weight_decay);

  void append_state(NamedTensors& all, const std::string& prefix) const;

 private:
  void update_by_operators(const std::vector<torch::Tensor>& gradients, double learning_rate,
                           double weight_decay);

  bool fused_;
  double beta1_;
  double beta2_;
  double epsilon_;
  std::vector<torch::Tensor> parameters_;
  std::vector<torch::Tensor> exp_avgs_;
  std::vector<torch::Tensor> exp_avg_sqs_;
  torch::Tensor steps_;  ///< Scalar: on the device if the fused kernel reads it, else on the host.
};

}  // namespace epochcast::libtorch
