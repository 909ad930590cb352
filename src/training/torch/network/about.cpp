#include "src/training/torch/network/about.hpp"

#include <fmt/format.h>

#include "src/base/core/registry.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/device/gpu_code.hpp"
#include "src/training/torch/base/cuda_library.hpp"
#include "src/training/torch/network/model.hpp"

namespace epochcast::libtorch {
namespace {

/// Throws Error if `config` sets options of updates and scores that only classifiers support.
void refuse_recipe(const run::RunConfig& config) {
  const run::RunConfig defaults;
  const auto refuse = [&](const char* option, auto member) {
    if (config.*member != defaults.*member) {
      throw Error(fmt::format("{}: found {}, expected '{}', since model {} is no classifier",
                              option, config.*member, defaults.*member, config.model));
    }
  };
  refuse("accumulate", &run::RunConfig::accumulate);
  refuse("clip_norm", &run::RunConfig::clip_norm);
  refuse("evaluate_every", &run::RunConfig::evaluate_every);
  refuse("best_by", &run::RunConfig::best_by);
  refuse("precision", &run::RunConfig::precision);
}

}  // namespace

run::RunConfig resolve_defaults(run::RunConfig config) {
  const auto& model = find_entry(models::all(), "model", config.model);
  const auto& dataset = find_entry(datasets::all(), "dataset", config.dataset);
  if (config.optimizer.empty()) {
    config.optimizer = model.optimizer.name;
  }
  if (config.optimizer == model.optimizer.name) {
    config.optimizer_options.insert(model.optimizer.options.begin(), model.optimizer.options.end());
  }
  const auto& optimizer = find_entry(optimizers::all(), "optimizer", config.optimizer);
  config.model_options =
      run::complete_options(config.model_options, model.options, "model", config.model);
  config.dataset_options =
      run::complete_options(config.dataset_options, dataset.options, "dataset", config.dataset);
  config.optimizer_options = run::complete_options(config.optimizer_options, optimizer.options,
                                                   "optimizer", config.optimizer);
  if (model.input(config.model_options).classes == 0) {
    refuse_recipe(config);
  }
  return config;
}

std::string program_of(const run::RunConfig& config) {
  const auto& model = find_entry(models::all(), "model", config.model);
  return model.hub(config.model_options).body.empty() ? config.model : "trainer";
}

std::vector<std::int64_t> input_shape(const run::RunConfig& config) {
  return find_entry(models::all(), "model", config.model).input(config.model_options).shape;
}

std::string library_versions() {
  auto text = fmt::format("LibTorch {}, {}", TORCH_VERSION, at::get_cpu_capability());
  if (at::hasCUDA()) {
    text += fmt::format(", cuDNN {}", at::detail::getCUDAHooks().versionCuDNN());
  }
  return text;
}

std::string version_line() {
  load_cuda();
  const auto& error = cuda_library_error();
  const auto support =
      error.empty()
          ? device::CudaSupport{.loads = true, .code = device::code_in_flags(cuda_compiler_flags())}
          : device::CudaSupport{.why_not = error};
  return fmt::format("{}, {}", library_versions(), device::to_text(support));
}

void load_cuda() {
  cuda_library_error();
}

}  // namespace epochcast::libtorch
