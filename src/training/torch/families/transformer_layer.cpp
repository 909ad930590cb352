#include "src/training/torch/families/transformer_layer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "src/base/core/error.hpp"
#include "src/training/torch/families/module_path.hpp"
#include "src/training/torch/kernels/linear.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
namespace nn = torch::nn;

/// The first `wanted` tokens of (N, length, hidden).
Tensor first_tokens(const Tensor& tokens, std::int64_t wanted) {
  return wanted < tokens.size(1) ? tokens.narrow(1, 0, wanted) : tokens;
}

/// The values, weighted by how well their keys fit the queries: in the operators of the published
/// models (transformers 4.38, before it used fused attention), so that profiles have the same rows.
Tensor attention_in_steps(const Tensor& query, const Tensor& key, const Tensor& value,
                          const Tensor& mask, double dropout) {
  auto scores = at::matmul(query, key.transpose(-1, -2)) / std::sqrt(double(query.size(-1)));
  if (mask.defined()) {
    scores = scores + mask;
  }
  return at::matmul(torch::dropout(at::softmax(scores, -1), dropout, dropout > 0), value);
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

/// What queries find in keys and values, of all heads side by side.
Tensor TransformerLayerImpl::mix(const Projected& x, const Tensor& mask) const {
  const double dropout = is_training() ? options_.dropout : 0;
  const auto query = split(x.query);
  const auto key = split(x.key);
  const auto value = split(x.value);
  const auto mixed =
      options_.procedure == Procedure::reference
          ? attention_in_steps(query, key, value, mask, dropout)
          : at::scaled_dot_product_attention(
                query, key, value, mask.defined() ? std::optional<Tensor>(mask) : std::nullopt,
                dropout);
  return mixed.transpose(1, 2).flatten(2);
}

/// What the first `wanted` tokens of `x` find in all of them, beside the `shortcut`.
Tensor TransformerLayerImpl::attend(const Tensor& x, const Tensor& mask, std::int64_t wanted,
                                    const Tensor& shortcut) {
  const auto mixed = mix(project(x, wanted), mask);
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
