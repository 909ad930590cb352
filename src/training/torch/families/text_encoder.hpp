// The common parts of the text classifiers: the embeddings of tokens and positions, and the layers
// after them.
#pragma once

#include "src/training/torch/families/transformer_layer.hpp"
#include "src/training/torch/network/model.hpp"

namespace epochcast::libtorch {

/// What a published network was trained with; its options have these defaults, so that small ones
/// can be made.
struct TextSizes {
  std::int64_t layers = 12;
  std::int64_t hidden = 768;
  std::int64_t heads = 12;
  std::int64_t intermediate = 3072;
  std::int64_t vocabulary = 30522;
  std::int64_t positions = 512;  ///< Rows of the embedding of places.
  std::int64_t length = 128;     ///< Tokens of the longest sample.
  std::int64_t labels = 2;
  double dropout = 0.1;
};

/// Options of a model of these sizes.
std::vector<run::OptionSpec> text_options(const TextSizes& sizes);

/// The sizes in `options`.
TextSizes text_sizes(const run::OptionValues& options);

/// Samples of a model of these options, which reads BERT's word pieces.
SampleSpec text_input(const run::OptionValues& options);

/// The values that config.json of a BERT or RoBERTa must have.
weights::HubConfig bert_config(const run::OptionValues& options, double epsilon);

/// What the published families differ in.
struct TextFamily {
  const char* body;    ///< Before the names of embeddings and layers: "bert".
  const char* layers;  ///< After it: "encoder.layer".
  LayerNames names;
  double epsilon = 1e-12;
  std::int64_t types =
      2;  ///< Of tokens, each with an embedding; all are of type 0. 0: it has none.
  std::int64_t padding = 0;  ///< Id of the token that pads.
  bool places_from_padding =
      false;  ///< Places are counted from `padding` + 1, of tokens that do not pad.
  bool attention_output_dropout = true;
};

/// Registers all below a root module as the reference names it. Throws Error where heads do not
/// divide hidden, or a sample is longer than the places there are.
class TextEncoder {
 public:
  TextEncoder(torch::nn::Module& root, const TextFamily& family, const TextSizes& sizes,
              Procedure procedure);

  /// The output for the first token of every sample, (N, hidden). With Procedure::optimized the
  /// last layer computes only that token, because a classifier uses no other.
  torch::Tensor first_token(const Samples& batch);

 private:
  torch::Tensor embed(const torch::Tensor& tokens);
  torch::Tensor places(const torch::Tensor& tokens);

  torch::nn::Module& root_;
  TextFamily family_;
  double dropout_;
  bool fast_;
  torch::nn::Embedding words_, places_;
  torch::nn::Embedding types_{nullptr};
  torch::nn::LayerNorm norm_{nullptr};
  TransformerLayers layers_;
};

}  // namespace epochcast::libtorch
