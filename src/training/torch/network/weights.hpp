// Reads weights from files of safetensors and torch.save, and writes safetensors, under the names
// of the reference implementation.
#pragma once

#include <string>
#include <vector>

#include "src/training/torch/base/named_tensors.hpp"
#include "src/training/weights/hub_folder.hpp"

namespace epochcast::libtorch {

/// The layout of a model's files in a hub.
struct HubLayout {
  std::string body;  ///< "bert", the prefix of the body's names. Files may omit it. Only tensors
                     ///< outside the body may be missing. Empty: files have exactly the model's
                     ///< names.
  weights::HubConfig config;  ///< Required values in config.json that shapes do not determine.
};

/// How to handle a head whose shapes in the file differ from the model (other classes).
enum class OtherHead {
  refused,
  drawn,  ///< Keeps its random weights, to be trained: transformers' ignore_mismatched_sizes.
};

/// Fills `into` from the file or hub folder at `path`. Half precision is widened.
/// Tensors of the head that the file lacks stay unchanged. Names are matched as described in
/// src/training/weights/names.hpp. Returns remarks on names and heads that differ. Throws Error if
/// the weights are damaged or absent, if a shape or type differs, if a part of the body is missing,
/// or if the configuration differs.
std::vector<std::string> load_weights(const std::string& path, const NamedTensors& into,
                                      const HubLayout& layout,
                                      OtherHead other_head = OtherHead::refused);

/// Writes `tensors` unchanged, in a form that load_weights and transformers can read. Throws
/// RunError if the file cannot be written.
void save_weights(const std::string& path, const NamedTensors& tensors);

}  // namespace epochcast::libtorch
