// ViT (Dosovitskiy et al., 2021) and DeiT (Touvron et al., 2021), image classifiers on patches of
// 16 x 16 pixels.
#pragma once

#include "src/training/torch/network/model.hpp"

namespace epochcast::libtorch {

/// What a published network was trained with; its options have these defaults.
struct VisionSizes {
  std::int64_t layers = 12;
  std::int64_t hidden = 768;  ///< A layer's perceptron is 4 times as wide.
  std::int64_t heads = 12;
};

enum class VisionKind {
  vit,
  deit,  ///< The same network; pictures are made ready otherwise.
  /// A token and a head more, "distillation", which learnt from another network; logits are the
  /// mean of both heads', in training too (the published class cannot be trained).
  distilled,
};

/// A model of these sizes.
ModelSpec vision_model(const std::string& summary, const VisionSizes& sizes, VisionKind kind);

}  // namespace epochcast::libtorch
