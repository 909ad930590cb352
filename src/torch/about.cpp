#include "src/torch/about.hpp"

#include <fmt/format.h>

#include "src/core/registry.hpp"
#include "src/torch/model.hpp"

namespace epochcast {

RunConfig completed(RunConfig config) {
  const auto& model = find_entry(models::all(), "model", config.model);
  const auto& dataset = find_entry(datasets::all(), "dataset", config.dataset);
  config.model_options = complete_options(config.model_options, model.options, "model", config.model);
  config.dataset_options = complete_options(config.dataset_options, dataset.options, "dataset", config.dataset);
  return config;
}

std::vector<std::int64_t> input_shape(const std::string& model) {
  return find_entry(models::all(), "model", model).input;
}

std::string library_versions() {
  auto text = fmt::format("LibTorch {}, {}", TORCH_VERSION, at::get_cpu_capability());
  if (at::hasCUDA()) {
    text += fmt::format(", cuDNN {}", at::detail::getCUDAHooks().versionCuDNN());
  }
  return text;
}

}  // namespace epochcast
