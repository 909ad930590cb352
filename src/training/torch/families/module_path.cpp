#include "src/training/torch/families/module_path.hpp"

namespace epochcast::libtorch {
namespace {

template <class Layer>
void draw_layer(torch::nn::Module& module) {
  if (auto* layer = module.as<Layer>()) {
    layer->weight.normal_(0, weight_deviation);
    layer->bias.zero_();
  }
}

}  // namespace

void draw_weights(torch::nn::Module& net) {
  const torch::NoGradGuard no_grad;
  net.apply([](torch::nn::Module& module) {
    draw_layer<torch::nn::Linear>(module);
    draw_layer<torch::nn::Conv2d>(module);
    if (auto* embedding = module.as<torch::nn::Embedding>()) {
      embedding->weight.normal_(0, weight_deviation);
      if (const auto padding = embedding->options.padding_idx()) {
        embedding->weight[*padding].zero_();
      }
    }
  });
}

}  // namespace epochcast::libtorch
