// NovoGrad (Ginsburg et al., 2019), as the package torch_optimizer computes it. It differs from the
// paper in the default of beta2, which is 0: every gradient is divided by its own norm.
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/network/optimizer.hpp"

namespace epochcast::libtorch::optimizers {
namespace {

class Novograd : public Optimizer {
 public:
  explicit Novograd(const OptimizerContext& context)
      : Optimizer(context),
        beta1_(option<double>(context.options, "beta1")),
        beta2_(option<double>(context.options, "beta2")),
        epsilon_(option<double>(context.options, "epsilon")),
        weight_decay_(option<double>(context.options, "weight_decay")),
        grad_averaging_(option<bool>(context.options, "grad_averaging")),
        momenta_(zeros_like_parameters()),
        squares_(torch::zeros({std::int64_t(parameters_.size())},
                              parameters_.front().options().requires_grad(false))) {}

  NamedTensors state(const std::string& prefix) const override {
    NamedTensors state{{prefix + "exp_avg_sq", squares_}};
    append_numbered(state, prefix + "exp_avg.", momenta_);
    return state;
  }

 private:
  void update(const std::vector<torch::Tensor>& gradients) override {
    const auto squares = torch::stack(at::_foreach_norm(gradients)).square();
    squares_.copy_(
        torch::where(squares_ == 0, squares, beta2_ * squares_ + (1 - beta2_) * squares));
    auto scaled = at::_foreach_div(gradients, (squares_.sqrt() + epsilon_).unbind());
    if (weight_decay_ != 0) {
      at::_foreach_add_(scaled, parameters_, weight_decay_);
    }
    if (grad_averaging_) {
      at::_foreach_mul_(scaled, 1 - beta1_);
    }
    at::_foreach_mul_(momenta_, beta1_);
    at::_foreach_add_(momenta_, scaled);
    descend(momenta_);
  }

  double beta1_;
  double beta2_;
  double epsilon_;
  double weight_decay_;
  bool grad_averaging_;
  std::vector<torch::Tensor> momenta_;
  torch::Tensor squares_;  ///< Running squared norm of each parameter's gradient.
};

}  // namespace

OptimizerSpec novograd() {
  return {
      .summary = "NovoGrad (Ginsburg et al., 2019): momentum on gradients of length 1",
      .class_name = "NovoGrad",
      .options = {{"learning_rate", "number", "0.001", "1", "Step size", ">0"},
                  {"beta1", "number", "0.95", "1", "Part of the last step that is taken again",
                   "0..<1"},
                  {"beta2", "number", "0", "1", "Decay of the mean of squared norms", "0..<1"},
                  {"epsilon", "number", "1e-8", "1", "Added to the norm", ">0"},
                  {"weight_decay", "number", "0", "1",
                   "Added to the scaled gradient, times the parameter", ">=0"},
                  {"grad_averaging", "flag", "false", "1", "Scale the gradient by 1 - beta1"}},
      .make = [](const OptimizerContext& context) { return std::make_unique<Novograd>(context); }};
}

}  // namespace epochcast::libtorch::optimizers
