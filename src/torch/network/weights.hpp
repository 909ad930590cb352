// Weights from and to files of the safetensors format, under the reference's names.
#pragma once

#include <string>
#include <vector>

#include "src/torch/base/named_tensors.hpp"
#include "src/weights/hub_folder.hpp"

namespace epochcast::libtorch {

/// What a hub's files of a model look like.
struct HubLayout {
  std::string body;  ///< "bert": names without it before them mean the body, and only the rest may
                     ///< be missing; empty: files hold exactly the model's names.
  weights::HubConfig config;  ///< What config.json must contain, as far as shapes do not show it.
};

/// How to handle a head that has other shapes in the file than in the model (other classes).
enum class OtherHead {
  refused,
  drawn,  ///< It stays as it was drawn, to be trained: transformers' ignore_mismatched_sizes.
};

/// Fills `into` from the safetensors file or hub folder at `path`, half precision widened; what the
/// file does not have of the head stays as it is. Names go by src/weights/names.hpp. Returns
/// remarks on names and heads that differ. Throws Error: damaged or no weights, another shape or
/// type, a part of the body missing, another configuration.
std::vector<std::string> load_weights(const std::string& path, const NamedTensors& into,
                                      const HubLayout& layout,
                                      OtherHead other_head = OtherHead::refused);

/// Writes `tensors` as they are, to be read by load_weights and by transformers. Throws RunError:
/// cannot be written.
void save_weights(const std::string& path, const NamedTensors& tensors);

}  // namespace epochcast::libtorch
