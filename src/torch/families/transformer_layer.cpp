#include "src/torch/families/transformer_layer.hpp"

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/torch/families/module_path.hpp"
#include "src/torch/kernels/linear.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
namespace nn = torch::nn;

/// The first `wanted` tokens of (N, length, hidden).
Tensor first_tokens(const Tensor& tokens, std::int64_t wanted) {
  return wanted < tokens.size(1) ? tokens.narrow(1, 0, wanted) : tokens;
}

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

void TransformerLayerImpl::prepare_for_inference() {
  frozen_.emplace(Frozen{PackedLinear({query_, key_, value_}), PackedLinear({attention_output_}),
                         PackedLinear({widen_}), PackedLinear({narrow_})});
}

Tensor TransformerLayerImpl::forward(const Tensor& x, const Tensor& mask, std::int64_t wanted) {
  if (options_.norm_first) {
    const auto attended =
        attend(attention_norm_->forward(x), mask, wanted, first_tokens(x, wanted));
    return perceptron(output_norm_->forward(attended), attended);
  }
  const auto attended = attention_norm_->forward(attend(x, mask, wanted, first_tokens(x, wanted)));
  return output_norm_->forward(perceptron(attended, attended));
}

/// (N, length, hidden) as (N, heads, length, hidden / heads).
Tensor TransformerLayerImpl::split(const Tensor& x) const {
  return x.view({x.size(0), x.size(1), options_.heads, -1}).transpose(1, 2);
}

Tensor TransformerLayerImpl::by(const nn::Linear& layer, const Tensor& x) const {
  return linear(layer, x, options_.procedure);
}

TransformerLayerImpl::Projected TransformerLayerImpl::project(const Tensor& x,
                                                              std::int64_t wanted) {
  if (frozen_) {  // one product of all is faster than three, even where queries are left over
    const auto parts = frozen_->query_key_value.forward(x).chunk(3, -1);
    return {first_tokens(parts[0], wanted), parts[1], parts[2]};
  }
  return {by(query_, first_tokens(x, wanted)), by(key_, x), by(value_, x)};
}

/// What the first `wanted` tokens of `x` find in all of them, beside the `shortcut`.
Tensor TransformerLayerImpl::attend(const Tensor& x, const Tensor& mask, std::int64_t wanted,
                                    const Tensor& shortcut) {
  const auto [query, key, value] = project(x, wanted);
  const auto mixed =
      at::scaled_dot_product_attention(split(query), split(key), split(value),
                                       mask.defined() ? std::optional<Tensor>(mask) : std::nullopt,
                                       is_training() ? options_.dropout : 0)
          .transpose(1, 2)
          .flatten(2);
  if (frozen_) {
    return frozen_->attention_output.plus(mixed, shortcut);
  }
  return shortcut + torch::dropout(by(attention_output_, mixed), options_.attention_output_dropout,
                                   is_training());
}

Tensor TransformerLayerImpl::perceptron(const Tensor& x, const Tensor& shortcut) {
  if (frozen_) {
    return frozen_->narrow.plus(frozen_->widen.gelu(x), shortcut);
  }
  return shortcut +
         torch::dropout(by(narrow_, torch::gelu(by(widen_, x))), options_.dropout, is_training());
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

}  // namespace epochcast::libtorch
