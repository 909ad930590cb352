#include "src/training/torch/families/convnext.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/base/core/text.hpp"
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/families/drawn_classifier.hpp"
#include "src/training/torch/kernels/linear.hpp"
#include "src/training/torch/kernels/packed_linear.hpp"
#include "src/training/torch/kernels/prepare_for_inference.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
namespace nn = torch::nn;

constexpr std::int64_t channels_in = 3;
constexpr std::int64_t least_size = 32;  ///< Pixels that the four stages leave one of.
constexpr double convnext_epsilon = 1e-6;
constexpr double last_norm_epsilon = 1e-12;
constexpr double initial_layer_scale = 1e-6;

nn::LayerNorm channel_norm(std::int64_t channels, double epsilon = convnext_epsilon) {
  return nn::LayerNorm(nn::LayerNormOptions({channels}).eps(epsilon));
}

/// `norm` over the channels of every place of (N, C, H, W); free of copies where that lies
/// channels_last.
Tensor norm_places(nn::LayerNorm& norm, const Tensor& x) {
  return norm->forward(x.permute({0, 2, 3, 1})).permute({0, 3, 1, 2});
}

/// Global response normalization of x (N, H, W, C): channels compete by their norms over the whole
/// picture.
Tensor normalise_response(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const auto response = x.norm(2, {1, 2}, /*keepdim=*/true);
  const auto share = response / (response.mean(-1, /*keepdim=*/true) + 1e-6);
  return weight * (x * share) + bias + x;
}

struct ConvnextBlockImpl : nn::Module, PreparesForInference {
  ConvnextBlockImpl(std::int64_t channels, ConvnextVersion version, Procedure how)
      : procedure(how),
        dwconv(register_module(
            "dwconv",
            nn::Conv2d(nn::Conv2dOptions(channels, channels, 7).padding(3).groups(channels)))),
        layernorm(register_module("layernorm", channel_norm(channels))),
        pwconv1(register_module("pwconv1", nn::Linear(channels, 4 * channels))),
        pwconv2(register_module("pwconv2", nn::Linear(4 * channels, channels))) {
    if (version == ConvnextVersion::v1) {
      scale =
          register_parameter("layer_scale_parameter", torch::full({channels}, initial_layer_scale));
    } else {
      response_weight =
          register_parameter_at(*this, "grn.weight", torch::zeros({1, 1, 1, 4 * channels}));
      response_bias =
          register_parameter_at(*this, "grn.bias", torch::zeros({1, 1, 1, 4 * channels}));
    }
  }

  void prepare_for_inference() override {
    frozen.emplace(Frozen{PackedLinear({pwconv1}), PackedLinear({pwconv2}, scale)});
  }

  Tensor forward(const Tensor& x) {
    const auto seen = layernorm->forward(dwconv->forward(x).permute({0, 2, 3, 1}));
    auto wide = frozen ? frozen->widen.gelu(seen) : torch::gelu(linear(pwconv1, seen, procedure));
    if (response_weight.defined()) {
      wide = normalise_response(wide, response_weight, response_bias);
    }
    if (frozen) {
      return frozen->narrow.plus(wide, x.permute({0, 2, 3, 1})).permute({0, 3, 1, 2});
    }
    const auto narrow = linear(pwconv2, wide, procedure);
    return x + (scale.defined() ? narrow * scale : narrow).permute({0, 3, 1, 2});
  }

  struct Frozen {
    PackedLinear widen, narrow;
  };

  Procedure procedure;
  nn::Conv2d dwconv;
  nn::LayerNorm layernorm;
  nn::Linear pwconv1;
  nn::Linear pwconv2;
  Tensor scale;
  Tensor response_weight;
  Tensor response_bias;
  std::optional<Frozen> frozen;
};
TORCH_MODULE(ConvnextBlock);

/// Halves the picture and doubles the channels, then blocks.
struct ConvnextStageImpl : nn::Module {
  ConvnextStageImpl(std::int64_t in, std::int64_t out, std::int64_t depth, ConvnextVersion version,
                    Procedure procedure) {
    if (in != out) {
      norm = register_module_at(*this, "downsampling_layer.0", channel_norm(in));
      halve = register_module_at(*this, "downsampling_layer.1",
                                 nn::Conv2d(nn::Conv2dOptions(in, out, 2).stride(2)));
    }
    for (std::int64_t i = 0; i < depth; ++i) {
      blocks.push_back(register_module_at(*this, fmt::format("layers.{}", i),
                                          ConvnextBlock(out, version, procedure)));
    }
  }

  Tensor forward(Tensor x) {
    if (halve) {
      x = halve->forward(norm_places(norm, x));
    }
    for (auto& block : blocks) {
      x = block->forward(x);
    }
    return x;
  }

  nn::LayerNorm norm{nullptr};
  nn::Conv2d halve{nullptr};
  std::vector<ConvnextBlock> blocks;
};
TORCH_MODULE(ConvnextStage);

const char* convnext_body(ConvnextVersion version) {
  return version == ConvnextVersion::v1 ? "convnext" : "convnextv2";
}

struct ConvnextImpl : nn::Module {
  ConvnextImpl(const ConvnextSizes& sizes, std::int64_t labels, ConvnextVersion version,
               Procedure procedure) {
    const auto body = std::string(convnext_body(version)) + ".";
    patches =
        register_module_at(*this, body + "embeddings.patch_embeddings",
                           nn::Conv2d(nn::Conv2dOptions(channels_in, sizes.width, 4).stride(4)));
    patch_norm =
        register_module_at(*this, body + "embeddings.layernorm", channel_norm(sizes.width));
    std::int64_t in = sizes.width;
    std::int64_t out = sizes.width;
    for (std::size_t i = 0; i < sizes.depths.size(); ++i, in = out, out *= 2) {
      stages.push_back(
          register_module_at(*this, fmt::format("{}encoder.stages.{}", body, i),
                             ConvnextStage(in, out, sizes.depths[i], version, procedure)));
    }
    norm = register_module_at(*this, body + "layernorm", channel_norm(in, last_norm_epsilon));
    classifier = register_module("classifier", nn::Linear(in, labels));
  }

  Tensor forward(const Samples& batch) {
    auto x = norm_places(patch_norm, patches->forward(batch.inputs));
    for (auto& stage : stages) {
      x = stage->forward(x);
    }
    return classifier->forward(norm->forward(x.mean({2, 3})));
  }

  nn::Conv2d patches{nullptr};
  nn::LayerNorm patch_norm{nullptr};
  std::vector<ConvnextStage> stages;
  nn::LayerNorm norm{nullptr};
  nn::Linear classifier{nullptr};
};
TORCH_MODULE(Convnext);

/// "3,3,9,3"
std::array<std::int64_t, 4> depths_of(const run::OptionValues& options) {
  const auto& text = options.at("depths");
  const auto words = split(text, ',');
  std::array<std::int64_t, 4> depths{};
  for (std::size_t i = 0; i < depths.size(); ++i) {
    depths[i] = words.size() == depths.size() ? parse_integer(trim(words[i])).value_or(0) : 0;
    if (depths[i] < 1) {
      throw Error(fmt::format("model.depths: found '{}', expected {} numbers from 1, as 3,3,9,3",
                              text, depths.size()));
    }
  }
  return depths;
}

/// The shorter axis at size / 0.875, then the middle; from 384 pixels on the whole picture. Source:
/// transformers, ConvNextImageProcessor, with the settings of the published files.
image::Preprocessing convnext_pictures(std::int64_t size) {
  constexpr std::int64_t whole_from = 384;
  return {.filter = image::ResizeFilter::bicubic,
          .fit = image::Fit::shortest_edge,
          .edge = size < whole_from ? int(double(size) / 0.875) : 0,
          .mean = image::imagenet_mean,
          .deviation = image::imagenet_deviation};
}

std::unique_ptr<Network> make_convnext(const NetworkContext& context, ConvnextVersion version) {
  const ConvnextSizes sizes{depths_of(context.options),
                            option<std::int64_t>(context.options, "width")};
  return drawn_classifier(
      Convnext(sizes, option<std::int64_t>(context.options, "labels"), version, context.procedure),
      context);
}

}  // namespace

ModelSpec convnext_model(const std::string& summary, const ConvnextSizes& sizes,
                         ConvnextVersion version) {
  return {
      .summary = summary,
      .options = {{"depths", "text", fmt::format("{}", fmt::join(sizes.depths, ",")), "1",
                   "Blocks of the four stages"},
                  {"width", "integer", std::to_string(sizes.width), "1",
                   "Channels of the first stage; each has twice those before it", ">=1"},
                  {"size", "integer", "224", "pixels", "Height and width of the images",
                   fmt::format(">={}", least_size)},
                  {"labels", "integer", "1000", "1", "Number of classes", ">=1"}},
      .input = [](const run::OptionValues& options) -> SampleSpec {
        const auto size = option<std::int64_t>(options, "size");
        return {.shape = {channels_in, size, size},
                .classes = option<std::int64_t>(options, "labels"),
                .pictures = convnext_pictures(size)};
      },
      .optimizer = {"adamw", {{"learning_rate", "5e-5"}, {"weight_decay", "0"}}},
      .make = [version](const NetworkContext& context) { return make_convnext(context, version); },
      .hub = [version](const run::OptionValues&) -> HubLayout {
        return {convnext_body(version), {{"hidden_act", "gelu"}}};
      }};
}

}  // namespace epochcast::libtorch
