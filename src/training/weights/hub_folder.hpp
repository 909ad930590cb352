// Finds weights in the layout of a hub: a folder with config.json and model.safetensors (or
// pytorch_model.bin), or with several files and an index.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace epochcast::weights {

struct WeightFiles {
  /// Paths of weights files, no two of which contain the same tensor name.
  std::vector<std::string> tensors;
  /// Path of config.json; empty if there is none.
  std::string config;
};

/// The files at `path`, which is a file of weights or a folder. Throws Error if the path does not
/// exist, the folder has no weights, or the index is damaged or names files in other folders.
WeightFiles find_weight_files(const std::string& path);

/// Values that a model requires in config.json because shapes do not show them: key, value as text.
using HubConfig = std::map<std::string, std::string>;

/// Throws Error naming the first key of `expected` that has a different value in the file at
/// `path`. A missing key has the default of the published code, which is the value of the published
/// sizes.
void check_hub_config(const std::string& path, const HubConfig& expected);

/// The names of the classes in the file at `path` (id2label), by their number; empty if it names
/// none. Throws Error if they are not texts, or not numbered 0, 1, 2, ...
std::vector<std::string> hub_labels(const std::string& path);

}  // namespace epochcast::weights
