#include "src/torch/about.hpp"

#include <fmt/format.h>

#include "src/core/registry.hpp"
#include "src/torch/model.hpp"

namespace epochcast {

RunConfig completed(RunConfig config) {
  const auto& model = find_entry(models::all(), "model", config.model);
  const auto& dataset = find_entry(datasets::all(), "dataset", config.dataset);
  if (config.optimizer.empty()) {
    config.optimizer = model.optimizer.name;
  }
  if (config.optimizer == model.optimizer.name) {
    config.optimizer_options.insert(model.optimizer.options.begin(), model.optimizer.options.end());
  }
  const auto& optimizer = find_entry(optimizers::all(), "optimizer", config.optimizer);
  config.model_options = complete_options(config.model_options, model.options, "model", config.model);
  config.dataset_options = complete_options(config.dataset_options, dataset.options, "dataset", config.dataset);
  config.optimizer_options =
      complete_options(config.optimizer_options, optimizer.options, "optimizer", config.optimizer);
  return config;
}

std::vector<std::int64_t> input_shape(const RunConfig& config) {
  return find_entry(models::all(), "model", config.model).input(config.model_options).shape;
}

std::string library_versions() {
  auto text = fmt::format("LibTorch {}, {}", TORCH_VERSION, at::get_cpu_capability());
  if (at::hasCUDA()) {
    text += fmt::format(", cuDNN {}", at::detail::getCUDAHooks().versionCuDNN());
  }
  return text;
}

}  // namespace epochcast
