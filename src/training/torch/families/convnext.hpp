// ConvNeXt (Liu et al., 2022) and ConvNeXt V2 (Woo et al., 2023), convolutional image classifiers
// of four stages.
#pragma once

#include <array>

#include "src/training/torch/network/model.hpp"

namespace epochcast::libtorch {

/// V2 has a global response norm in every block, and no layer scale.
enum class ConvnextVersion { v1, v2 };

/// What a published network was trained with; its options have these defaults.
struct ConvnextSizes {
  std::array<std::int64_t, 4> depths{3, 3, 9, 3};  ///< Blocks of every stage.
  std::int64_t width = 96;  ///< Channels of the first stage; each has twice those before it.
};

/// A model of these sizes.
ModelSpec convnext_model(const std::string& summary, const ConvnextSizes& sizes,
                         ConvnextVersion version);

}  // namespace epochcast::libtorch
