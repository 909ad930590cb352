#include "src/training/torch/kernels/perceptron.hpp"

#include <ATen/core/LegacyTypeDispatch.h>

#include <utility>

#include "src/training/torch/kernels/linear.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Perceptron : torch::autograd::Function<Perceptron> {
  static Tensor forward(AutogradContext* context, const Tensor& inputs, at::TensorList parameters) {
    const at::AutoDispatchBelowADInplaceOrView no_bookkeeping;
    variable_list saved;  // the weight and the input of every layer
    auto values = inputs;
    for (std::size_t i = 0; i < parameters.size(); i += 2) {
      saved.push_back(parameters[i]);
      saved.push_back(values);
      values = linear_values(values, parameters[i], parameters[i + 1]);
      if (i + 2 < parameters.size()) {
        values.relu_();
      }
    }
    context->save_for_backward(std::move(saved));
    return values;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::AutoDispatchBelowADInplaceOrView no_bookkeeping;
    const auto saved = context->get_saved_variables();
    variable_list wanted(saved.size() + 1);
    auto gradient = std::move(gradients.front());
    for (std::size_t i = saved.size(); i > 0; i -= 2) {
      const auto& weight = saved[i - 2];
      const auto& given = saved[i - 1];
      wanted[i - 1] = linear_weight_gradient(gradient, given);
      wanted[i] = gradient.sum(0);
      if (i > 2) {  // the input of this layer is the output of a ReLU
        gradient = at::threshold_backward(product(gradient, weight), given, 0);
      }
    }
    return wanted;
  }
};

}  // namespace

Tensor perceptron(const Tensor& inputs, const std::vector<Tensor>& parameters) {
  return Perceptron::apply(inputs, at::TensorList(parameters));
}

}  // namespace epochcast::libtorch
