// Weights as a hub lays them out: a folder with config.json and model.safetensors, or several files
// and an index.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace epochcast::weights {

struct WeightFiles {
  /// Paths of safetensors files, of which no two have a name in common.
  std::vector<std::string> tensors;
  /// Path of config.json; empty if there is none.
  std::string config;
};

/// The files at `path`, a safetensors file or a folder. Throws Error: not there, a folder without
/// safetensors, an index that is damaged or names files elsewhere.
WeightFiles find_weight_files(const std::string& path);

/// What a model expects of config.json where shapes do not tell: key, value as text.
using HubConfig = std::map<std::string, std::string>;

/// Throws Error naming the first key of `expected` that the file at `path` has with another value.
/// A key that is not there has the default of the published code, which is what the published sizes
/// have.
void check_hub_config(const std::string& path, const HubConfig& expected);

}  // namespace epochcast::weights
