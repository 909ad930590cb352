// RoBERTa base (Liu et al., 2019): BERT's layers, places counted from the padding's id, no pooler,
// a head of two layers. 124,647,170 parameters.
#include "src/training/torch/families/bert.hpp"
#include "src/training/torch/families/drawn_classifier.hpp"

namespace epochcast::libtorch::models {
namespace {

constexpr TextFamily roberta_family{.body = "roberta",
                                    .layers = "encoder.layer",
                                    .names = bert_layer_names,
                                    .epsilon = 1e-5,
                                    .types = 1,
                                    .padding = 1,
                                    .places_from_padding = true};

struct RobertaClassifierImpl : torch::nn::Module {
  RobertaClassifierImpl(const TextSizes& sizes, Procedure procedure)
      : dropout(sizes.dropout),
        encoder(*this, roberta_family, sizes, procedure),
        dense(register_module_at(*this, "classifier.dense",
                                 torch::nn::Linear(sizes.hidden, sizes.hidden))),
        out_proj(register_module_at(*this, "classifier.out_proj",
                                    torch::nn::Linear(sizes.hidden, sizes.labels))) {}

  torch::Tensor forward(const Samples& batch) {
    const auto first = torch::dropout(encoder.first_token(batch), dropout, is_training());
    return out_proj->forward(torch::dropout(dense->forward(first).tanh(), dropout, is_training()));
  }

  double dropout;
  TextEncoder encoder;
  torch::nn::Linear dense;
  torch::nn::Linear out_proj;
};
TORCH_MODULE(RobertaClassifier);

}  // namespace

ModelSpec roberta() {
  return {.summary = "RoBERTa base: 12 layers of 768, a text classifier",
          .options = text_options({.vocabulary = 50265, .positions = 514}),
          .input =
              [](const run::OptionValues& options) {
                auto input = text_input(options);
                input.tokenizer = "byte_bpe";
                input.longest -= roberta_family.padding + 1;  // where the places begin
                return input;
              },
          .optimizer = {"adamw", {{"learning_rate", "5e-5"}, {"weight_decay", "0"}}},
          .make =
              [](const NetworkContext& context) {
                return drawn_classifier(
                    RobertaClassifier(text_sizes(context.options), context.procedure), context);
              },
          .hub = [](const run::OptionValues& options) -> HubLayout {
            return {roberta_family.body, bert_config(options, roberta_family.epsilon)};
          }};
}

}  // namespace epochcast::libtorch::models
