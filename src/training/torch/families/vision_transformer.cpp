#include "src/training/torch/families/vision_transformer.hpp"

#include <fmt/format.h>

#include "src/training/torch/base/options.hpp"
#include "src/training/torch/families/drawn_classifier.hpp"
#include "src/training/torch/families/transformer_layer.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
namespace nn = torch::nn;

constexpr std::int64_t patch = 16;  // pixels
constexpr std::int64_t colors = 3;
constexpr double vision_epsilon = 1e-12;
constexpr LayerNames vision_names{.query = "attention.attention.query",
                                  .key = "attention.attention.key",
                                  .value = "attention.attention.value",
                                  .attention_output = "attention.output.dense",
                                  .attention_norm = "layernorm_before",
                                  .widen = "intermediate.dense",
                                  .narrow = "output.dense",
                                  .output_norm = "layernorm_after"};

struct VisionOptions {
  VisionSizes sizes;
  VisionKind kind;
  std::int64_t size;  ///< Pixels, width and height.
  std::int64_t labels;
  Procedure procedure;
};

VisionOptions vision_options(const NetworkContext& context, VisionKind kind) {
  const auto integer = [&](const char* name) {
    return option<std::int64_t>(context.options, name);
  };
  const VisionOptions options{.sizes = {integer("layers"), integer("hidden"), integer("heads")},
                              .kind = kind,
                              .size = integer("size"),
                              .labels = integer("labels"),
                              .procedure = context.procedure};
  check_heads(options.sizes.hidden, options.sizes.heads);
  if (options.size % patch != 0) {
    throw Error(
        fmt::format("model.size: found {}, expected a multiple of {} pixels", options.size, patch));
  }
  return options;
}

const char* vision_body(VisionKind kind) {
  return kind == VisionKind::distilled ? "deit" : "vit";
}

LayerOptions vision_layer(const VisionSizes& sizes, Procedure procedure) {
  return {.names = vision_names,
          .hidden = sizes.hidden,
          .heads = sizes.heads,
          .intermediate = 4 * sizes.hidden,
          .epsilon = vision_epsilon,
          .norm_first = true,
          .procedure = procedure};
}

/// ViT: bilinear to the network's size, values from -1 to 1. DeiT: bicubic to 256 / 224 of it, then
/// the middle, but the distilled ones straight to it. Source: preprocessor_config.json of the
/// published files; what it means is ViTImageProcessor's and DeiTImageProcessor's of transformers.
image::Preprocessing vision_pictures(VisionKind kind, std::int64_t size) {
  if (kind == VisionKind::vit) {
    return {};
  }
  return {.filter = image::ResizeFilter::bicubic,
          .edge = kind == VisionKind::deit ? int(size * 256 / 224) : 0,
          .mean = image::imagenet_mean,
          .deviation = image::imagenet_deviation};
}

class VisionTransformerImpl : public nn::Module {
 public:
  explicit VisionTransformerImpl(const VisionOptions& options)
      : distilled_(options.kind == VisionKind::distilled),
        body_(std::string(vision_body(options.kind)) + "."),
        fast_(options.procedure == Procedure::optimized),
        class_token_(drawn_at("embeddings.cls_token", 1, options)) {
    const auto side = options.size / patch;
    if (distilled_) {
      distillation_token_ = drawn_at("embeddings.distillation_token", 1, options);
    }
    positions_ = drawn_at("embeddings.position_embeddings", side * side + tokens_before(), options);
    const auto hidden = options.sizes.hidden;
    patches_ =
        register_module_at(*this, body_ + "embeddings.patch_embeddings.projection",
                           nn::Conv2d(nn::Conv2dOptions(colors, hidden, patch).stride(patch)));
    layers_ = TransformerLayers(*this, body_ + "encoder.layer", options.sizes.layers,
                                vision_layer(options.sizes, options.procedure));
    norm_ = register_module_at(*this, body_ + "layernorm",
                               nn::LayerNorm(nn::LayerNormOptions({hidden}).eps(vision_epsilon)));
    classifier_ = register_module(distilled_ ? "cls_classifier" : "classifier",
                                  nn::Linear(hidden, options.labels));
    if (distilled_) {
      distillation_ =
          register_module("distillation_classifier", nn::Linear(hidden, options.labels));
    }
  }

  /// With Procedure::optimized the last layer computes only the tokens that the heads use.
  Tensor forward(const Samples& batch) {
    const auto tokens = embed(batch.inputs);
    const auto seen =
        norm_->forward(layers_.forward(tokens, {}, fast_ ? tokens_before() : tokens.size(1)));
    const auto logits = classifier_->forward(seen.select(1, 0));
    return distilled_ ? (logits + distillation_->forward(seen.select(1, 1))) / 2 : logits;
  }

 private:
  /// Tokens that are not patches.
  std::int64_t tokens_before() const { return distilled_ ? 2 : 1; }

  Tensor drawn_at(const std::string& path, std::int64_t tokens, const VisionOptions& options) {
    return register_parameter_at(
        *this, body_ + path, torch::randn({1, tokens, options.sizes.hidden}) * weight_deviation);
  }

  Tensor embed(const Tensor& images) {
    const auto samples = images.size(0);
    std::vector<Tensor> tokens{class_token_.expand({samples, -1, -1})};
    if (distilled_) {
      tokens.push_back(distillation_token_.expand({samples, -1, -1}));
    }
    tokens.push_back(patches_->forward(images).flatten(2).transpose(1, 2));
    return torch::cat(tokens, 1) + positions_;
  }

  bool distilled_;
  std::string body_;
  bool fast_;
  Tensor class_token_;
  Tensor distillation_token_;
  Tensor positions_;
  nn::Conv2d patches_{nullptr};
  TransformerLayers layers_;
  nn::LayerNorm norm_{nullptr};
  nn::Linear classifier_{nullptr};
  nn::Linear distillation_{nullptr};
};
TORCH_MODULE(VisionTransformer);

}  // namespace

ModelSpec vision_model(const std::string& summary, const VisionSizes& sizes, VisionKind kind) {
  const auto integer = [](const char* name, std::int64_t value, const char* unit,
                          const char* meaning) {
    return run::OptionSpec{name, "integer", std::to_string(value), unit, meaning, ">=1"};
  };
  return {
      .summary = summary,
      .options = {integer("layers", sizes.layers, "1", "Encoder layers"),
                  integer("hidden", sizes.hidden, "1", "Size of the embedding of a patch"),
                  integer("heads", sizes.heads, "1", "Attention heads; hidden must be a multiple"),
                  integer("size", 224, "pixels", "Height and width of the images"),
                  integer("labels", 1000, "1", "Number of classes")},
      .input = [kind](const run::OptionValues& options) -> SampleSpec {
        const auto size = option<std::int64_t>(options, "size");
        return {.shape = {colors, size, size},
                .classes = option<std::int64_t>(options, "labels"),
                .pictures = vision_pictures(kind, size)};
      },
      .optimizer = {"adamw", {{"learning_rate", "5e-5"}, {"weight_decay", "0"}}},
      .make =
          [kind](const NetworkContext& context) {
            return drawn_classifier(VisionTransformer(vision_options(context, kind)), context);
          },
      .hub = [kind](const run::OptionValues& options) -> HubLayout {
        return {vision_body(kind),
                {{"num_attention_heads", options.at("heads")},
                 {"hidden_act", "gelu"},
                 {"layer_norm_eps", to_text(vision_epsilon)}}};
      }};
}

}  // namespace epochcast::libtorch
