// DistilBERT base, uncased (Sanh et al., 2019): BERT's layers, half as many, under names of their
// own, without token types and pooler. 66,955,010 parameters. Its optimizer is that of the SST-2
// study.
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/families/drawn_classifier.hpp"
#include "src/training/torch/families/text_encoder.hpp"

namespace epochcast::libtorch::models {
namespace {

constexpr TextFamily distilbert_family{.body = "distilbert",
                                       .layers = "transformer.layer",
                                       .names = {.query = "attention.q_lin",
                                                 .key = "attention.k_lin",
                                                 .value = "attention.v_lin",
                                                 .attention_output = "attention.out_lin",
                                                 .attention_norm = "sa_layer_norm",
                                                 .widen = "ffn.lin1",
                                                 .narrow = "ffn.lin2",
                                                 .output_norm = "output_layer_norm"},
                                       .types = 0,
                                       .attention_output_dropout = false};

struct DistilbertClassifierImpl : torch::nn::Module {
  DistilbertClassifierImpl(const TextSizes& sizes, double head_dropout, Procedure procedure)
      : dropout(head_dropout),
        encoder(*this, distilbert_family, sizes, procedure),
        pre_classifier(
            register_module("pre_classifier", torch::nn::Linear(sizes.hidden, sizes.hidden))),
        classifier(register_module("classifier", torch::nn::Linear(sizes.hidden, sizes.labels))) {}

  torch::Tensor forward(const Samples& batch) {
    const auto hidden = pre_classifier->forward(encoder.first_token(batch)).relu();
    return classifier->forward(torch::dropout(hidden, dropout, is_training()));
  }

  double dropout;
  TextEncoder encoder;
  torch::nn::Linear pre_classifier;
  torch::nn::Linear classifier;
};
TORCH_MODULE(DistilbertClassifier);

std::vector<run::OptionSpec> distilbert_options() {
  auto options = text_options({.layers = 6});
  options.push_back({"head_dropout", "number", "0.2", "1",
                     "Part of the head's activations set to 0 in training", "0..1"});
  return options;
}

std::unique_ptr<Network> make_distilbert(const NetworkContext& context) {
  return drawn_classifier(
      DistilbertClassifier(text_sizes(context.options),
                           option<double>(context.options, "head_dropout"), context.procedure),
      context);
}

}  // namespace

ModelSpec distilbert() {
  return {
      .summary = "DistilBERT base, uncased: 6 layers of 768, a text classifier",
      .options = distilbert_options(),
      .input = text_input,
      .optimizer = {"adamw", {{"learning_rate", "2e-5"}, {"weight_decay", "0.01"}}},
      .make = make_distilbert,
      .hub = [](const run::OptionValues& options) -> HubLayout {
        return {distilbert_family.body, {{"n_heads", options.at("heads")}, {"activation", "gelu"}}};
      }};
}

}  // namespace epochcast::libtorch::models
