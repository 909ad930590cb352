// Stochastic gradient descent with momentum, as torch.optim.SGD computes it.
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/network/optimizer.hpp"

namespace epochcast::libtorch::optimizers {
namespace {

class Sgd : public Optimizer {
 public:
  explicit Sgd(const OptimizerContext& context)
      : Optimizer(context),
        momentum_(option<double>(context.options, "momentum")),
        weight_decay_(option<double>(context.options, "weight_decay")),
        fused_(context.procedure == Procedure::optimized && momentum_ != 0) {
    if (momentum_ != 0) {
      momenta_ = zeros_like_parameters();
    }
  }

  NamedTensors state(const std::string& prefix) const override {
    NamedTensors state;
    append_numbered(state, prefix + "momentum.", momenta_);
    return state;
  }

 private:
  void update(const std::vector<torch::Tensor>& gradients) override {
    if (fused_) {
      const auto update = [&](const auto& rate) {
        at::_fused_sgd_(parameters_, gradients, momenta_, weight_decay_, momentum_, rate,
                        /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false,
                        /*is_first_step=*/false);
      };
      learning_rate_on_gpu().defined() ? update(learning_rate_on_gpu()) : update(learning_rate());
    } else {
      update_by_operators(gradients);
    }
  }

  /// PyTorch uses the first gradient as the first momentum. Momenta that start at zero give the
  /// same result.
  void update_by_operators(std::vector<torch::Tensor> gradients) {
    if (weight_decay_ != 0) {
      gradients = at::_foreach_add(gradients, parameters_, weight_decay_);
    }
    if (momentum_ != 0) {
      at::_foreach_mul_(momenta_, momentum_);
      at::_foreach_add_(momenta_, gradients);
    }
    descend(momentum_ != 0 ? momenta_ : gradients);
  }

  double momentum_;
  double weight_decay_;
  /// Without momentum, the update is only one addition per tensor, and on a CPU the fused kernel
  /// would wake all threads for each tensor, however small.
  bool fused_;
  std::vector<torch::Tensor> momenta_;  ///< Empty if the momentum is 0.
};

}  // namespace

OptimizerSpec sgd() {
  return {
      .summary = "Stochastic gradient descent with momentum",
      .class_name = "SGD",
      .options = {{"learning_rate", "number", "0.001", "1", "Step size", ">0"},
                  {"momentum", "number", "0", "1", "Part of the last step that is taken again",
                   "0..1"},
                  {"weight_decay", "number", "0", "1", "L2 penalty, added to the gradient", ">=0"}},
      .make = [](const OptimizerContext& context) { return std::make_unique<Sgd>(context); }};
}

}  // namespace epochcast::libtorch::optimizers
