// The multilayer perceptron of the depth sweep: `depth` linear layers of widths 2, 4, ..., 2^depth,
// 2 with ReLU between them, so that one number goes from 22 parameters, where only launching costs
// time, to 44.8 million.
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/kernels/linear.hpp"
#include "src/training/torch/kernels/perceptron.hpp"
#include "src/training/torch/network/classifier.hpp"

namespace epochcast::libtorch::models {
namespace {

constexpr std::int64_t mlp_inputs = 2;
constexpr std::int64_t mlp_classes = 2;

std::unique_ptr<Network> make_mlp(const NetworkContext& context) {
  const auto depth = option<std::int64_t>(context.options, "depth");
  torch::nn::Sequential net;  // names the layers as the published code's
  std::vector<torch::nn::Linear> layers;
  std::int64_t width = mlp_inputs;
  for (std::int64_t layer = 1; layer <= depth; ++layer, width *= 2) {
    layers.emplace_back(width, layer < depth ? 2 * width : mlp_classes);
    net->push_back(layers.back());
    if (layer < depth) {
      net->push_back(torch::nn::ReLU());
    }
  }
  // Half precision is autocast's to arrange, and of several ranks each layer's gradient goes out
  // while the next one arises.
  if (context.procedure == Procedure::optimized && context.precision == Precision::fp32 &&
      context.replicas->size() == 1) {
    const auto as_one_operator = [parameters = net->parameters()](const Samples& batch) {
      return perceptron(batch.inputs, parameters);
    };
    return make_classifier(ClassifierNet{net.ptr(), as_one_operator}, context);
  }
  const auto layer_by_layer = [layers, procedure = context.procedure](const Samples& batch) {
    auto x = linear(layers.front(), batch.inputs, procedure);
    for (std::size_t i = 1; i < layers.size(); ++i) {
      x = linear(layers[i], x.relu(), procedure);
    }
    return x;
  };
  return make_classifier(ClassifierNet{net.ptr(), layer_by_layer}, context);
}

}  // namespace

ModelSpec mlp() {
  return {.summary = "The perceptron of the depth sweep: widths 2, 4, ..., 2^depth, 2",
          .options = {{"depth", "integer", "8", "1", "Linear layers", "1..16"}},
          .input = [](const run::OptionValues&) -> SampleSpec {
            return {.shape = {mlp_inputs}, .classes = mlp_classes};
          },
          .optimizer = {"sgd", {{"learning_rate", "0.1"}}},
          .make = make_mlp};
}

}  // namespace epochcast::libtorch::models
