// The weights that a run begins with.
#pragma once

#include <string>
#include <vector>

#include "src/run/run_config.hpp"
#include "src/torch/network/model.hpp"

namespace epochcast::libtorch {

/// Gives `network` those that the completed `config` names, if any. Returns remarks and throws as
/// load_weights.
inline std::vector<std::string> take_weights(const Network& network, const run::RunConfig& config) {
  if (config.weights.empty()) {
    return {};
  }
  return load_weights(config.weights, network.weights(),
                      models::all().at(config.model).hub(config.model_options),
                      config.task == "train" ? OtherHead::drawn : OtherHead::refused);
}

}  // namespace epochcast::libtorch
