// What Adam and AdamW have in common: running means of gradients and of their squares, and the
// update they make.
#pragma once

#include "src/torch/network/optimizer.hpp"

namespace epochcast::libtorch {

/// beta1, beta2 and epsilon, with PyTorch's defaults.
std::vector<run::OptionSpec> adam_options();

/// Of some parameters that are updated alike.
class AdamMoments {
 public:
  /// `options`: those of adam_options among them.
  AdamMoments(const run::OptionValues& options, Procedure procedure,
              std::vector<torch::Tensor> parameters);

  /// One update. Decay is AdamW's (Loshchilov and Hutter, 2019): parameters shrink by learning_rate
  /// * weight_decay before the step, apart from the gradients. As torch.optim.Adam and
  /// torch.optim.AdamW compute it.
  void update(const std::vector<torch::Tensor>& gradients, double learning_rate,
              double weight_decay);

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
