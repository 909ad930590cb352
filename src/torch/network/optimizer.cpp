#include "src/torch/network/optimizer.hpp"

#include "src/torch/base/options.hpp"

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
}

void Optimizer::zero_grad() {
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
  return optimizers::all().at(choice.name).make({choice.options, procedure, std::move(parameters)});
}

void append_numbered(NamedTensors& all, const std::string& prefix,
                     const std::vector<torch::Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    all.emplace_back(prefix + std::to_string(i), tensors[i]);
  }
}

}  // namespace epochcast::libtorch
