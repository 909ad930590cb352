#include "src/training/torch/network/adam_moments.hpp"

#include <cmath>

#include "src/training/torch/base/options.hpp"

namespace epochcast::libtorch {

std::vector<run::OptionSpec> adam_options() {
  return {{"beta1", "number", "0.9", "1", "Decay of the mean of gradients", "0..<1"},
          {"beta2", "number", "0.999", "1", "Decay of the mean of their squares", "0..<1"},
          {"epsilon", "number", "1e-8", "1", "Added to the root of that mean", ">0"}};
}

AdamMoments::AdamMoments(const run::OptionValues& options, Procedure procedure,
                         std::vector<torch::Tensor> parameters)
    : fused_(procedure == Procedure::optimized),
      beta1_(option<double>(options, "beta1")),
      beta2_(option<double>(options, "beta2")),
      epsilon_(option<double>(options, "epsilon")),
      parameters_(std::move(parameters)),
      steps_(torch::zeros({}, torch::device(fused_ ? parameters_.front().device() : torch::kCPU)
                                  .dtype(torch::kFloat))) {
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : parameters_) {
    exp_avgs_.push_back(torch::zeros_like(parameter));
    exp_avg_sqs_.push_back(torch::zeros_like(parameter));
  }
}

void AdamMoments::append_state(NamedTensors& all, const std::string& prefix) const {
  all.emplace_back(prefix + "step", steps_);
  append_numbered(all, prefix + "exp_avg.", exp_avgs_);
  append_numbered(all, prefix + "exp_avg_sq.", exp_avg_sqs_);
}

void AdamMoments::update(const std::vector<torch::Tensor>& gradients, double learning_rate,
                         const torch::Tensor& on_gpu, double weight_decay) {
  steps_.add_(1);
  if (!fused_) {
    update_by_operators(gradients, learning_rate, weight_decay);
    return;
  }
  const std::vector<torch::Tensor> steps(parameters_.size(), steps_);
  const auto update = [&](const auto& rate) {
    at::_fused_adamw_(parameters_, gradients, exp_avgs_, exp_avg_sqs_, /*max_exp_avg_sqs=*/{},
                      steps, rate, beta1_, beta2_, weight_decay, epsilon_, /*amsgrad=*/false,
                      /*maximize=*/false);
  };
  on_gpu.defined() ? update(on_gpu) : update(learning_rate);
}

/// PyTorch's default implementation: several operators, each over all tensors.
void AdamMoments::update_by_operators(const std::vector<torch::Tensor>& gradients,
                                      double learning_rate, double weight_decay) {
  const double steps = steps_.item<double>();
  const double correction1 = 1 - std::pow(beta1_, steps);
  const double correction2 = 1 - std::pow(beta2_, steps);
  if (weight_decay != 0) {
    at::_foreach_mul_(parameters_, 1 - learning_rate * weight_decay);
  }
  at::_foreach_lerp_(exp_avgs_, gradients, 1 - beta1_);
  at::_foreach_mul_(exp_avg_sqs_, beta2_);
  at::_foreach_addcmul_(exp_avg_sqs_, gradients, gradients, 1 - beta2_);
  auto denominators = at::_foreach_sqrt(exp_avg_sqs_);
  at::_foreach_div_(denominators, std::sqrt(correction2));
  at::_foreach_add_(denominators, epsilon_);
  at::_foreach_addcdiv_(parameters_, exp_avgs_, denominators, -learning_rate / correction1);
}

}  // namespace epochcast::libtorch
