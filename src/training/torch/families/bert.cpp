#include "src/training/torch/families/bert.hpp"

#include "src/training/torch/families/drawn_classifier.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
namespace nn = torch::nn;

constexpr TextFamily bert_family{
    .body = "bert", .layers = "encoder.layer", .names = bert_layer_names};

struct BertClassifierImpl : nn::Module {
  BertClassifierImpl(const TextSizes& sizes, Procedure procedure)
      : dropout(sizes.dropout),
        encoder(*this, bert_family, sizes, procedure),
        pooler(
            register_module_at(*this, "bert.pooler.dense", nn::Linear(sizes.hidden, sizes.hidden))),
        classifier(register_module("classifier", nn::Linear(sizes.hidden, sizes.labels))) {}

  Tensor forward(const Samples& batch) {
    const auto pooled = pooler->forward(encoder.first_token(batch)).tanh();
    return classifier->forward(torch::dropout(pooled, dropout, is_training()));
  }

  double dropout;
  TextEncoder encoder;
  nn::Linear pooler;
  nn::Linear classifier;
};
TORCH_MODULE(BertClassifier);

}  // namespace

ModelSpec bert_model(const std::string& summary, const TextSizes& sizes) {
  return {.summary = summary,
          .options = text_options(sizes),
          .input = text_input,
          .optimizer = {"adamw", {{"learning_rate", "5e-5"}, {"weight_decay", "0"}}},
          .make =
              [](const NetworkContext& context) {
                return drawn_classifier(
                    BertClassifier(text_sizes(context.options), context.procedure), context);
              },
          .hub = [](const run::OptionValues& options) -> HubLayout {
            return {bert_family.body, bert_config(options, bert_family.epsilon)};
          }};
}

}  // namespace epochcast::libtorch
