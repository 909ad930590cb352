// Adam (Kingma and Ba, 2015) with all its state in tensors, so that a checkpoint is a list of names and tensors.
#pragma once

#include <string>
#include <vector>

#include "src/torch/model.hpp"

namespace epochcast {

struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

class Adam {
 public:
  /// `lab` computes as PyTorch's default does (several operators over all tensors); `fast` in one fused one.
  Adam(std::vector<torch::Tensor> parameters, const AdamOptions& options, Procedure procedure);

  /// Drops the gradients.
  void zero_grad();

  /// One update from the parameters' gradients; each must have one.
  void step();

  const std::vector<torch::Tensor>& parameters() const { return parameters_; }

  /// Moments and the count of steps, named `prefix` + "exp_avg.0" and so on.
  NamedTensors state(const std::string& prefix) const;

 private:
  std::vector<torch::Tensor> gradients() const;
  void step_by_operators();
  void step_fused();

  std::vector<torch::Tensor> parameters_;
  std::vector<torch::Tensor> exp_avgs_;
  std::vector<torch::Tensor> exp_avg_sqs_;
  torch::Tensor steps_;  ///< Scalar: on the device where the fused kernel reads it, else on the host.
  AdamOptions options_;
  Procedure procedure_;
};

}  // namespace epochcast
