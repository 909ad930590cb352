#include "src/training/torch/network/optimizer.hpp"

#include <ATen/record_function.h>
#include <fmt/format.h>

#include "src/training/torch/base/options.hpp"

namespace epochcast::libtorch {
namespace {

class NoOptimizer : public Optimizer {
 public:
  explicit NoOptimizer(NamedTensors parameters)
      : Optimizer({.options = {{"learning_rate", "0"}}, .parameters = std::move(parameters)}) {}
  NamedTensors state(const std::string& /*prefix*/) const override { return {}; }

 private:
  void update(const std::vector<torch::Tensor>& /*gradients*/) override {}
};

}  // namespace

Optimizer::Optimizer(const OptimizerContext& context)
    : learning_rate_(option<double>(context.options, "learning_rate")) {
  for (const auto& [name, parameter] : context.parameters) {
    parameters_.push_back(parameter);
  }
  if (context.procedure == Procedure::optimized && !parameters_.empty() &&
      parameters_.front().is_cuda()) {
    on_gpu_ = torch::full({}, learning_rate_,
                          parameters_.front().options().dtype(torch::kFloat).requires_grad(false));
  }
}

void Optimizer::scale_learning_rate(double factor) {
  if (factor != factor_ && on_gpu_.defined()) {
    on_gpu_.fill_(factor * learning_rate_);
  }
  factor_ = factor;
}

void Optimizer::descend(const std::vector<torch::Tensor>& directions) {
  if (on_gpu_.defined()) {
    at::_foreach_sub_(parameters_, at::_foreach_mul(directions, on_gpu_));
  } else {
    at::_foreach_add_(parameters_, directions, -learning_rate());
  }
}

void Optimizer::set_class_name(std::string_view name) {
  step_name_ = fmt::format("Optimizer.step#{0}.step", name);
  zero_grad_name_ = fmt::format("Optimizer.zero_grad#{0}.zero_grad", name);
}

void Optimizer::zero_grad() {
  RECORD_USER_SCOPE(zero_grad_name_);
  for (auto& parameter : parameters_) {
    parameter.mutable_grad().reset();
  }
}

std::vector<torch::Tensor> Optimizer::gradients() const {
  std::vector<torch::Tensor> gradients;
  gradients.reserve(parameters_.size());
  for (const auto& parameter : parameters_) {
    gradients.push_back(parameter.grad());
  }
  return gradients;
}

void Optimizer::step() {
  RECORD_USER_SCOPE(step_name_);
  const torch::NoGradGuard no_grad;
  update(gradients());
}

std::vector<torch::Tensor> Optimizer::zeros_like_parameters() const {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> zeros;
  for (const auto& parameter : parameters_) {
    zeros.push_back(torch::zeros_like(parameter));
  }
  return zeros;
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerChoice& choice, Procedure procedure,
                                          NamedTensors parameters) {
  if (choice.name.empty()) {
    return std::make_unique<NoOptimizer>(std::move(parameters));
  }
  const auto& spec = optimizers::all().at(choice.name);
  auto optimizer = spec.make({choice.options, procedure, std::move(parameters)});
  optimizer->set_class_name(spec.class_name);
  return optimizer;
}

void append_numbered(NamedTensors& all, const std::string& prefix,
                     const std::vector<torch::Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    all.emplace_back(prefix + std::to_string(i), tensors[i]);
  }
}

}  // namespace epochcast::libtorch
