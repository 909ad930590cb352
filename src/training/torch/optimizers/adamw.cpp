// AdamW (Loshchilov and Hutter, 2019), as torch.optim.AdamW computes it, with the two parameter
// groups of transformers' Trainer: biases and the weights of layer norms do not decay.
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/network/adam_moments.hpp"

namespace epochcast::libtorch::optimizers {
namespace {

/// As in Trainer.get_decay_parameter_names. A weight with one dimension belongs to a norm.
bool decays(const std::string& name, const torch::Tensor& parameter) {
  const bool of_norm = name.ends_with("weight") && parameter.dim() == 1;
  return name.find("bias") == std::string::npos && !of_norm;
}

/// Parameters with the same decay, given by their indices in the list of all parameters.
struct DecayGroup {
  double weight_decay;
  std::vector<std::size_t> places;
  AdamMoments moments;
};

std::vector<torch::Tensor> at_places(const std::vector<torch::Tensor>& all,
                                     const std::vector<std::size_t>& places) {
  std::vector<torch::Tensor> chosen;
  for (const auto place : places) {
    chosen.push_back(all[place]);
  }
  return chosen;
}

class AdamW : public Optimizer {
 public:
  explicit AdamW(const OptimizerContext& context) : Optimizer(context) {
    for (const bool decaying : {true, false}) {
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < context.parameters.size(); ++i) {
        const auto& [name, parameter] = context.parameters[i];
        if (decays(name, parameter) == decaying) {
          places.push_back(i);
        }
      }
      if (!places.empty()) {
        groups_.push_back(
            {decaying ? option<double>(context.options, "weight_decay") : 0, places,
             AdamMoments(context.options, context.procedure, at_places(parameters_, places))});
      }
    }
  }

  NamedTensors state(const std::string& prefix) const override {
    NamedTensors state;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      groups_[i].moments.append_state(state, prefix + "group" + std::to_string(i) + ".");
    }
    return state;
  }

 private:
  void update(const std::vector<torch::Tensor>& gradients) override {
    for (auto& group : groups_) {
      group.moments.update(at_places(gradients, group.places), learning_rate(),
                           learning_rate_on_gpu(), group.weight_decay);
    }
  }

  std::vector<DecayGroup> groups_;
};

}  // namespace

OptimizerSpec adamw() {
  OptimizerSpec spec{
      .summary = "AdamW (Loshchilov and Hutter, 2019): Adam, with a decay apart from the gradients",
      .class_name = "AdamW",
      .options = {{"learning_rate", "number", "0.001", "1", "Step size", ">0"},
                  {"weight_decay", "number", "0.01", "1",
                   "Part of a weight that learning_rate 1 would take away a step; biases and norms "
                   "lose none",
                   ">=0"}},
      .make = [](const OptimizerContext& context) { return std::make_unique<AdamW>(context); }};
  const auto options = adam_options();
  spec.options.insert(spec.options.end(), options.begin(), options.end());
  return spec;
}

}  // namespace epochcast::libtorch::optimizers
