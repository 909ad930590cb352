#include "src/torch/families/transformer_layer.hpp"

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/torch/families/module_path.hpp"

namespace epochcast {
namespace {
using torch::Tensor;
namespace nn = torch::nn;
}  // namespace

TransformerLayerImpl::TransformerLayerImpl(const LayerOptions& options)
    : options_(options),
      query_(register_module_at(*this, options.names.query,
                                nn::Linear(options.hidden, options.hidden))),
      key_(
          register_module_at(*this, options.names.key, nn::Linear(options.hidden, options.hidden))),
      value_(register_module_at(*this, options.names.value,
                                nn::Linear(options.hidden, options.hidden))),
      attention_output_(register_module_at(*this, options.names.attention_output,
                                           nn::Linear(options.hidden, options.hidden))),
      attention_norm_(register_module_at(
          *this, options.names.attention_norm,
          nn::LayerNorm(nn::LayerNormOptions({options.hidden}).eps(options.epsilon)))),
      widen_(register_module_at(*this, options.names.widen,
                                nn::Linear(options.hidden, options.intermediate))),
      narrow_(register_module_at(*this, options.names.narrow,
                                 nn::Linear(options.intermediate, options.hidden))),
      output_norm_(register_module_at(
          *this, options.names.output_norm,
          nn::LayerNorm(nn::LayerNormOptions({options.hidden}).eps(options.epsilon)))) {}

Tensor TransformerLayerImpl::forward(const Tensor& x, const Tensor& mask, std::int64_t wanted) {
  const auto first = [&](const Tensor& tokens) {
    return wanted < tokens.size(1) ? tokens.narrow(1, 0, wanted) : tokens;
  };
  if (options_.norm_first) {
    const auto normed = attention_norm_->forward(x);
    const auto attended = first(x) + attention(first(normed), normed, mask);
    return attended + perceptron(output_norm_->forward(attended));
  }
  const auto attended = attention_norm_->forward(first(x) + attention(first(x), x, mask));
  return output_norm_->forward(attended + perceptron(attended));
}

/// (N, length, hidden) as (N, heads, length, hidden / heads).
Tensor TransformerLayerImpl::split(const Tensor& x) const {
  return x.view({x.size(0), x.size(1), options_.heads, -1}).transpose(1, 2);
}

Tensor TransformerLayerImpl::attention(const Tensor& of, const Tensor& to, const Tensor& mask) {
  const auto mixed = at::scaled_dot_product_attention(
      split(query_->forward(of)), split(key_->forward(to)), split(value_->forward(to)),
      mask.defined() ? std::optional<Tensor>(mask) : std::nullopt,
      is_training() ? options_.dropout : 0);
  return torch::dropout(attention_output_->forward(mixed.transpose(1, 2).flatten(2)),
                        options_.attention_output_dropout, is_training());
}

Tensor TransformerLayerImpl::perceptron(const Tensor& x) {
  return torch::dropout(narrow_->forward(torch::gelu(widen_->forward(x))), options_.dropout,
                        is_training());
}

void check_heads(std::int64_t hidden, std::int64_t heads) {
  if (hidden % heads != 0) {
    throw Error(
        fmt::format("model.heads: found {}, expected a divisor of model.hidden={}", heads, hidden));
  }
}

TransformerLayers::TransformerLayers(nn::Module& root, const std::string& path, std::int64_t layers,
                                     const LayerOptions& options) {
  for (std::int64_t i = 0; i < layers; ++i) {
    layers_.push_back(
        register_module_at(root, path + "." + std::to_string(i), TransformerLayer(options)));
  }
}

Tensor TransformerLayers::forward(Tensor x, const Tensor& mask, std::int64_t wanted) {
  for (auto& layer : layers_) {
    const bool last = &layer == &layers_.back();
    x = layer->forward(x, mask, last ? wanted : x.size(1));
  }
  return x;
}

}  // namespace epochcast
