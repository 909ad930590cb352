#include "src/training/torch/families/text_encoder.hpp"

#include <fmt/format.h>

#include <limits>

#include "src/training/torch/base/options.hpp"
#include "src/training/torch/families/module_path.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
namespace nn = torch::nn;

nn::Embedding embedding_at(nn::Module& root, const std::string& path, std::int64_t rows,
                           std::int64_t hidden,
                           std::optional<std::int64_t> padding = std::nullopt) {
  return register_module_at(root, path,
                            nn::Embedding(nn::EmbeddingOptions(rows, hidden).padding_idx(padding)));
}

std::string embeddings_of(const TextFamily& family) {
  return std::string(family.body) + ".embeddings.";
}

LayerOptions layer_options(const TextFamily& family, const TextSizes& sizes, Procedure procedure) {
  return {.names = family.names,
          .hidden = sizes.hidden,
          .heads = sizes.heads,
          .intermediate = sizes.intermediate,
          .epsilon = family.epsilon,
          .dropout = sizes.dropout,
          .attention_output_dropout = family.attention_output_dropout ? sizes.dropout : 0,
          .procedure = procedure};
}

/// What is added to the attention's scores: the lowest number where a token pads, as the published
/// code has it.
Tensor score_mask(const Tensor& mask) {
  if (!mask.defined()) {
    return {};
  }
  const auto zeros = torch::zeros(mask.sizes(), mask.options().dtype(torch::get_default_dtype()));
  return zeros.masked_fill_(~mask, std::numeric_limits<float>::lowest()).unsqueeze(1).unsqueeze(1);
}

void check_sizes(const TextFamily& family, const TextSizes& sizes) {
  check_heads(sizes.hidden, sizes.heads);
  const auto most = sizes.positions - (family.places_from_padding ? family.padding + 1 : 0);
  if (sizes.length > most) {
    throw Error(fmt::format(
        "model.length: found {}, expected at most the {} tokens that model.positions={} allows",
        sizes.length, most, sizes.positions));
  }
}

}  // namespace

std::vector<run::OptionSpec> text_options(const TextSizes& sizes) {
  const auto integer = [](const char* name, std::int64_t value, const char* unit,
                          const char* meaning) {
    return run::OptionSpec{name, "integer", std::to_string(value), unit, meaning, ">=1"};
  };
  return {integer("layers", sizes.layers, "1", "Encoder layers"),
          integer("hidden", sizes.hidden, "1", "Size of the embedding of a token"),
          integer("heads", sizes.heads, "1", "Attention heads; hidden must be a multiple"),
          integer("intermediate", sizes.intermediate, "1", "Width of the feed-forward layer"),
          integer("vocabulary", sizes.vocabulary, "tokens", "Size of the vocabulary"),
          integer("positions", sizes.positions, "tokens", "Number of position embeddings"),
          integer("length", sizes.length, "tokens", "Maximum tokens of a sample"),
          integer("labels", sizes.labels, "1", "Number of classes"),
          {"dropout", "number", to_text(sizes.dropout), "1",
           "Probability of setting an activation to 0 in training", "0..1"}};
}

TextSizes text_sizes(const run::OptionValues& options) {
  const auto integer = [&](const char* name) { return option<std::int64_t>(options, name); };
  return {.layers = integer("layers"),
          .hidden = integer("hidden"),
          .heads = integer("heads"),
          .intermediate = integer("intermediate"),
          .vocabulary = integer("vocabulary"),
          .positions = integer("positions"),
          .length = integer("length"),
          .labels = integer("labels"),
          .dropout = option<double>(options, "dropout")};
}

SampleSpec text_input(const run::OptionValues& options) {
  const auto sizes = text_sizes(options);
  return {.shape = {sizes.length},
          .vocabulary = sizes.vocabulary,
          .longest = sizes.positions,
          .classes = sizes.labels,
          .tokenizer = "wordpiece"};
}

weights::HubConfig bert_config(const run::OptionValues& options, double epsilon) {
  return {{"num_attention_heads", options.at("heads")},
          {"hidden_act", "gelu"},
          {"is_decoder", "false"},
          {"position_embedding_type", "absolute"},
          {"layer_norm_eps", to_text(epsilon)}};
}

TextEncoder::TextEncoder(nn::Module& root, const TextFamily& family, const TextSizes& sizes,
                         Procedure procedure)
    : root_(root),
      family_(family),
      dropout_(sizes.dropout),
      fast_(procedure == Procedure::optimized),
      words_(embedding_at(root, embeddings_of(family) + "word_embeddings", sizes.vocabulary,
                          sizes.hidden, family.padding)),
      places_(embedding_at(root, embeddings_of(family) + "position_embeddings", sizes.positions,
                           sizes.hidden)) {
  check_sizes(family, sizes);
  if (family.types > 0) {
    types_ = embedding_at(root, embeddings_of(family) + "token_type_embeddings", family.types,
                          sizes.hidden);
  }
  norm_ =
      register_module_at(root, embeddings_of(family) + "LayerNorm",
                         nn::LayerNorm(nn::LayerNormOptions({sizes.hidden}).eps(family.epsilon)));
  layers_ = TransformerLayers(root, std::string(family.body) + "." + family.layers, sizes.layers,
                              layer_options(family, sizes, procedure));
}

Tensor TextEncoder::first_token(const Samples& batch) {
  const auto tokens = layers_.forward(embed(batch.inputs), score_mask(batch.mask),
                                      fast_ ? 1 : batch.inputs.size(1));
  return tokens.select(1, 0);
}

Tensor TextEncoder::embed(const Tensor& tokens) {
  auto sum = words_->forward(tokens) + places(tokens);
  if (family_.types > 0) {
    sum = sum + types_->weight[0];
  }
  return torch::dropout(norm_->forward(sum), dropout_, root_.is_training());
}

/// The embeddings of the tokens' places, (N, length, hidden), or (length, hidden) where they are
/// the same in all samples.
Tensor TextEncoder::places(const Tensor& tokens) {
  if (!family_.places_from_padding) {
    return places_->weight.narrow(0, 0, tokens.size(1));
  }
  const auto real = (tokens != family_.padding).to(torch::kLong);
  return places_->forward(real.cumsum(1) * real + family_.padding);
}

}  // namespace epochcast::libtorch
