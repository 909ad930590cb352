// Adam (Kingma and Ba, 2015), as torch.optim.Adam computes it.
#include "src/training/torch/network/adam_moments.hpp"

namespace epochcast::libtorch::optimizers {
namespace {

class Adam : public Optimizer {
 public:
  explicit Adam(const OptimizerContext& context)
      : Optimizer(context), moments_(context.options, context.procedure, parameters_) {}

  NamedTensors state(const std::string& prefix) const override {
    NamedTensors state;
    moments_.append_state(state, prefix);
    return state;
  }

 private:
  void update(const std::vector<torch::Tensor>& gradients) override {
    moments_.update(gradients, learning_rate(), learning_rate_on_gpu(), /*weight_decay=*/0);
  }

  AdamMoments moments_;
};

}  // namespace

OptimizerSpec adam() {
  OptimizerSpec spec{
      .summary = "Adam (Kingma and Ba, 2015)",
      .class_name = "Adam",
      .options = {{"learning_rate", "number", "0.001", "1", "Step size", ">0"}},
      .make = [](const OptimizerContext& context) { return std::make_unique<Adam>(context); }};
  const auto options = adam_options();
  spec.options.insert(spec.options.end(), options.begin(), options.end());
  return spec;
}

}  // namespace epochcast::libtorch::optimizers
