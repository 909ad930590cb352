// What tests of networks share.
#pragma once

#include <memory>

#include "src/training/torch/base/precision.hpp"
#include "src/training/torch/base/procedure.hpp"
#include "src/training/torch/network/model.hpp"

namespace epochcast::libtorch {

/// New tensors have this type as long as it exists.
class DefaultType {
 public:
  explicit DefaultType(torch::ScalarType type) {
    torch::set_default_dtype(torch::scalarTypeToTypeMeta(type));
  }
  ~DefaultType() { torch::set_default_dtype(torch::scalarTypeToTypeMeta(torch::kFloat)); }
};

/// The run's network, without the run.
inline std::unique_ptr<Network> make_network(const run::RunConfig& config) {
  return models::all()
      .at(config.model)
      .make({.options = config.model_options,
             .procedure = procedure_of(config),
             .optimizer = {config.optimizer, config.optimizer_options},
             .clip_norm = config.clip_norm,
             .precision = precision_named(config.precision)});
}

}  // namespace epochcast::libtorch
