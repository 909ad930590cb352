// A layer of a transformer encoder: attention and a perceptron of one hidden layer, each beside a
// shortcut and with a norm. BERT, RoBERTa, DistilBERT and ViT differ in the names of its parts, the
// places of its norms and its dropout only.
#pragma once

#include <optional>

#include "src/training/torch/base/procedure.hpp"
#include "src/training/torch/kernels/packed_linear.hpp"
#include "src/training/torch/kernels/prepare_for_inference.hpp"

namespace epochcast::libtorch {

/// Paths of a layer's parts in the reference's state dict.
struct LayerNames {
  const char* query;
  const char* key;
  const char* value;
  const char* attention_output;
  const char* attention_norm;
  const char* widen;  ///< Of the perceptron: hidden to intermediate.
  const char* narrow;
  const char* output_norm;
};

struct LayerOptions {
  LayerNames names;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t intermediate = 0;
  double epsilon = 1e-12;               ///< Of the norms.
  double dropout = 0;                   ///< On attention weights and after the perceptron.
  double attention_output_dropout = 0;  ///< After the last linear layer of the attention.
  bool norm_first =
      false;  ///< Norms before attention and perceptron (ViT), else after both (BERT).
  Procedure procedure = Procedure::optimized;
};

class TransformerLayerImpl : public torch::nn::Module, public PreparesForInference {
 public:
  explicit TransformerLayerImpl(const LayerOptions& options);

  /// The output for the first `wanted` of the tokens `x` (N, length, hidden). `mask`: added to the
  /// attention's scores, (N, 1, 1, length), or undefined.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& mask, std::int64_t wanted);

  void prepare_for_inference() override;

 private:
  struct Frozen {
    PackedLinear query_key_value, attention_output, widen, narrow;
  };
  /// Queries of the first tokens, keys and values of all, (N, tokens, hidden) each.
  struct Projected {
    torch::Tensor query, key, value;
  };

  Projected project(const torch::Tensor& x, std::int64_t wanted);
  torch::Tensor mix(const Projected& x, const torch::Tensor& mask) const;
  torch::Tensor attend(const torch::Tensor& x, const torch::Tensor& mask, std::int64_t wanted,
                       const torch::Tensor& shortcut);
  torch::Tensor perceptron(const torch::Tensor& x, const torch::Tensor& shortcut);
  torch::Tensor split(const torch::Tensor& x) const;
  torch::Tensor by(const torch::nn::Linear& layer, const torch::Tensor& x) const;

  LayerOptions options_;
  torch::nn::Linear query_, key_, value_, attention_output_;
  torch::nn::LayerNorm attention_norm_;
  torch::nn::Linear widen_, narrow_;
  torch::nn::LayerNorm output_norm_;
  std::optional<Frozen> frozen_;
};
TORCH_MODULE(TransformerLayer);

/// Throws Error if `hidden` is not a multiple of `heads`.
void check_heads(std::int64_t hidden, std::int64_t heads);

/// `layers` of them at `path`.0, `path`.1, ...
class TransformerLayers {
 public:
  TransformerLayers() = default;
  TransformerLayers(torch::nn::Module& root, const std::string& path, std::int64_t layers,
                    const LayerOptions& options);

  /// The output for the first `wanted` tokens; the last layer computes only those.
  torch::Tensor forward(torch::Tensor x, const torch::Tensor& mask, std::int64_t wanted);

 private:
  std::vector<TransformerLayer> layers_;
};

}  // namespace epochcast::libtorch
