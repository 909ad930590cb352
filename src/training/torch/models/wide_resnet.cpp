// The wide residual net of the data-parallel study (after Zagoruyko and Komodakis, 2016, whose
// order of layers it does not keep): six blocks of two 3x3 convolutions, 16 times `widen` channels
// up to 64 times, no ReLU after the sum. 17,117,466 parameters and 1.85 GMAC per 28x28 image: all
// arithmetic, and 68 MB of gradients to average.
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/kernels/sync_batch_norm.hpp"
#include "src/training/torch/network/classifier.hpp"

namespace epochcast::libtorch::models {
namespace {

namespace nn = torch::nn;
using torch::Tensor;

constexpr std::int64_t wide_classes = 10;
constexpr std::int64_t stem_channels = 16;
constexpr std::int64_t last_pool = 7;

struct BlockOptions {
  double dropout = 0;
  bool batch_norm = true;
  Replicas* synchronised_by =
      nullptr;  ///< The processes over whose batches to normalize; nullptr: each over its own.
  bool in_place = false;
};

/// A sequence of layers that can be part of another sequence, unlike nn::Sequential.
struct LayersImpl : nn::SequentialImpl {
  using SequentialImpl::SequentialImpl;
  Tensor forward(const Tensor& x) { return SequentialImpl::forward(x); }
};
TORCH_MODULE(Layers);

/// Convolution, batch norm, ReLU.
Layers conv_bn_relu(std::int64_t in, std::int64_t out, const BlockOptions& options) {
  Layers layers(nn::Conv2d(nn::Conv2dOptions(in, out, 3).padding(1).bias(false)));
  if (options.batch_norm && options.synchronised_by != nullptr) {
    layers->push_back(SyncBatchNorm2d(nn::BatchNorm2dOptions(out), *options.synchronised_by));
  } else if (options.batch_norm) {
    layers->push_back(nn::BatchNorm2d(out));
  }
  layers->push_back(nn::ReLU(options.in_place));
  return layers;
}

/// Two convolutions beside a shortcut, which a 1x1 convolution widens where the block does.
struct ResidualBlockImpl : nn::Module {
  ResidualBlockImpl(std::int64_t in, std::int64_t out, const BlockOptions& options)
      : first(register_module("first", conv_bn_relu(in, out, options))),
        dropout(register_module("dropout", nn::Dropout(options.dropout))),
        second(register_module("second", conv_bn_relu(out, out, options))) {
    if (in != out) {
      scale = register_module("scale", nn::Conv2d(nn::Conv2dOptions(in, out, 1)));
    }
  }

  Tensor forward(const Tensor& x) {
    const auto shortcut = scale.is_empty() ? x : scale->forward(x);
    return second->forward(dropout->forward(first->forward(x))) + shortcut;
  }

  Layers first;
  nn::Dropout dropout;
  Layers second;
  nn::Conv2d scale{nullptr};
};
TORCH_MODULE(ResidualBlock);

std::unique_ptr<Network> make_wide_resnet(const NetworkContext& context) {
  const auto channels = option<std::int64_t>(context.options, "channels");
  const auto narrow = stem_channels * option<std::int64_t>(context.options, "widen");
  const BlockOptions options{.dropout = option<double>(context.options, "dropout"),
                             .batch_norm = option<bool>(context.options, "batch_norm"),
                             .synchronised_by = option<bool>(context.options, "sync_batch_norm")
                                                    ? context.replicas
                                                    : nullptr,
                             .in_place = context.procedure == Procedure::optimized};
  const nn::Sequential net(
      conv_bn_relu(channels, stem_channels, options), ResidualBlock(stem_channels, narrow, options),
      ResidualBlock(narrow, narrow, options), nn::MaxPool2d(2),
      ResidualBlock(narrow, 2 * narrow, options), ResidualBlock(2 * narrow, 2 * narrow, options),
      nn::MaxPool2d(2), ResidualBlock(2 * narrow, 4 * narrow, options),
      ResidualBlock(4 * narrow, 4 * narrow, options), nn::AvgPool2d(last_pool), nn::Flatten(),
      nn::Linear(4 * narrow, wide_classes));
  return make_classifier(net, context);
}

}  // namespace

ModelSpec wide_resnet() {
  return {
      .summary = "The wide residual net of the data-parallel study, 17 million parameters",
      .options = {{"channels", "integer", "1", "1", "Color channels of the images: 1 (gray) or 3",
                   ">=1"},
                  {"size", "integer", "28", "pixels", "Height and width of the images", "28..55"},
                  {"widen", "integer", "10", "1",
                   "Blocks have 16, 32 and 64 times this many channels", ">=1"},
                  {"dropout", "number", "0.01", "1", "Part of a block's activations set to 0",
                   "0..1"},
                  {"batch_norm", "flag", "true", "1", "Batch norm after every 3x3 convolution"},
                  {"sync_batch_norm", "flag", "false", "1",
                   "Compute batch norms over the batches of all ranks"}},
      .input = [](const run::OptionValues& options) -> SampleSpec {
        const auto size = option<std::int64_t>(options, "size");
        return {.shape = {option<std::int64_t>(options, "channels"), size, size},
                .classes = wide_classes};
      },
      .optimizer = {"sgd", {{"learning_rate", "0.01"}, {"momentum", "0.9"}}},
      .make = make_wide_resnet};
}

}  // namespace epochcast::libtorch::models
