// Adam (Kingma and Ba, 2015), as torch.optim.Adam computes it.
#include <cmath>

#include "src/torch/optimizer.hpp"
#include "src/torch/options.hpp"

namespace epochcast::optimizers {
namespace {

class Adam : public Optimizer {
 public:
  explicit Adam(const OptimizerContext& context)
      : Optimizer(context),
        fused_(context.procedure == Procedure::fast),
        beta1_(option<double>(context.options, "beta1")),
        beta2_(option<double>(context.options, "beta2")),
        epsilon_(option<double>(context.options, "epsilon")),
        exp_avgs_(zeros_like_parameters()),
        exp_avg_sqs_(zeros_like_parameters()),
        steps_(torch::zeros({}, torch::device(fused_ ? parameters_.front().device() : torch::kCPU)
                                    .dtype(torch::kFloat))) {}

  NamedTensors state(const std::string& prefix) const override {
    NamedTensors state{{prefix + "step", steps_}};
    append_numbered(state, prefix + "exp_avg.", exp_avgs_);
    append_numbered(state, prefix + "exp_avg_sq.", exp_avg_sqs_);
    return state;
  }

 private:
  void update(const std::vector<torch::Tensor>& gradients) override {
    steps_.add_(1);
    if (fused_) {
      update_fused(gradients);
    } else {
      update_by_operators(gradients);
    }
  }

  /// PyTorch's default: several operators over all tensors.
  void update_by_operators(const std::vector<torch::Tensor>& gradients) {
    const double steps = steps_.item<double>();
    const double correction1 = 1 - std::pow(beta1_, steps);
    const double correction2 = 1 - std::pow(beta2_, steps);
    at::_foreach_lerp_(exp_avgs_, gradients, 1 - beta1_);
    at::_foreach_mul_(exp_avg_sqs_, beta2_);
    at::_foreach_addcmul_(exp_avg_sqs_, gradients, gradients, 1 - beta2_);
    auto denominators = at::_foreach_sqrt(exp_avg_sqs_);
    at::_foreach_div_(denominators, std::sqrt(correction2));
    at::_foreach_add_(denominators, epsilon_);
    at::_foreach_addcdiv_(parameters_, exp_avgs_, denominators, -learning_rate() / correction1);
  }

  void update_fused(const std::vector<torch::Tensor>& gradients) {
    const std::vector<torch::Tensor> steps(parameters_.size(), steps_);
    at::_fused_adam_(parameters_, gradients, exp_avgs_, exp_avg_sqs_, /*max_exp_avg_sqs=*/{}, steps,
                     learning_rate(), beta1_, beta2_, /*weight_decay=*/0, epsilon_,
                     /*amsgrad=*/false, /*maximize=*/false);
  }

  bool fused_;
  double beta1_;
  double beta2_;
  double epsilon_;
  std::vector<torch::Tensor> exp_avgs_;
  std::vector<torch::Tensor> exp_avg_sqs_;
  torch::Tensor
      steps_;  ///< Scalar: on the device where the fused kernel reads it, else on the host.
};

}  // namespace

OptimizerSpec adam() {
  return {
      .summary = "Adam (Kingma and Ba, 2015)",
      .options = {{"learning_rate", "number", "0.001", "1", "Step size", ">0"},
                  {"beta1", "number", "0.9", "1", "Decay of the mean of gradients", "0..1"},
                  {"beta2", "number", "0.999", "1", "Decay of the mean of their squares", "0..1"},
                  {"epsilon", "number", "1e-8", "1", "Added to the root of that mean", ">0"}},
      .make = [](const OptimizerContext& context) { return std::make_unique<Adam>(context); }};
}

}  // namespace epochcast::optimizers
