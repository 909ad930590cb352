#include "src/torch/adam.hpp"

#include <cmath>

namespace epochcast {
namespace {

std::vector<torch::Tensor> zeros_like_each(const std::vector<torch::Tensor>& tensors) {
  std::vector<torch::Tensor> zeros;
  for (const auto& tensor : tensors) {
    zeros.push_back(torch::zeros_like(tensor));
  }
  return zeros;
}

}  // namespace

Adam::Adam(std::vector<torch::Tensor> parameters, const AdamOptions& options, Procedure procedure)
    : parameters_(std::move(parameters)), options_(options), procedure_(procedure) {
  const torch::NoGradGuard no_grad;
  exp_avgs_ = zeros_like_each(parameters_);
  exp_avg_sqs_ = zeros_like_each(parameters_);
  const bool fused = procedure_ == Procedure::fast;
  steps_ = torch::zeros({}, torch::device(fused ? parameters_.front().device() : torch::kCPU)
                                .dtype(torch::kFloat));
}

void Adam::zero_grad() {
  for (auto& parameter : parameters_) {
    parameter.mutable_grad().reset();
  }
}

void Adam::step() {
  const torch::NoGradGuard no_grad;
  steps_.add_(1);
  if (procedure_ == Procedure::fast) {
    step_fused();
  } else {
    step_by_operators();
  }
}

std::vector<torch::Tensor> Adam::gradients() const {
  std::vector<torch::Tensor> gradients;
  for (const auto& parameter : parameters_) {
    gradients.push_back(parameter.grad());
  }
  return gradients;
}

void Adam::step_by_operators() {
  const auto grads = gradients();
  const double steps = steps_.item<double>();
  const double correction1 = 1 - std::pow(options_.beta1, steps);
  const double correction2 = 1 - std::pow(options_.beta2, steps);
  at::_foreach_lerp_(exp_avgs_, grads, 1 - options_.beta1);
  at::_foreach_mul_(exp_avg_sqs_, options_.beta2);
  at::_foreach_addcmul_(exp_avg_sqs_, grads, grads, 1 - options_.beta2);
  auto denominators = at::_foreach_sqrt(exp_avg_sqs_);
  at::_foreach_div_(denominators, std::sqrt(correction2));
  at::_foreach_add_(denominators, options_.epsilon);
  at::_foreach_addcdiv_(parameters_, exp_avgs_, denominators,
                        -options_.learning_rate / correction1);
}

void Adam::step_fused() {
  const std::vector<torch::Tensor> steps(parameters_.size(), steps_);
  at::_fused_adam_(parameters_, gradients(), exp_avgs_, exp_avg_sqs_, /*max_exp_avg_sqs=*/{}, steps,
                   options_.learning_rate, options_.beta1, options_.beta2, /*weight_decay=*/0,
                   options_.epsilon, /*amsgrad=*/false, /*maximize=*/false);
}

NamedTensors Adam::state(const std::string& prefix) const {
  NamedTensors state{{prefix + "step", steps_}};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    state.emplace_back(prefix + "exp_avg." + std::to_string(i), exp_avgs_[i]);
    state.emplace_back(prefix + "exp_avg_sq." + std::to_string(i), exp_avg_sqs_[i]);
  }
  return state;
}

}  // namespace epochcast
