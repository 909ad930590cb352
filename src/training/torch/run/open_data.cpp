#include "src/training/torch/run/open_data.hpp"

#include <numeric>

#include "src/training/torch/base/device.hpp"

namespace epochcast::libtorch {

std::unique_ptr<Dataset> open_data(const DataOptions& options) {
  return options.dataset.open({.options = options.config.dataset_options,
                               .input = options.model.input(options.config.model_options),
                               .weights = options.config.weights,
                               .trains = options.config.task == run::Task::train,
                               .threads = options.threads,
                               .seed = options.seed,
                               .refuse_bad_files = options.refuse_bad_files,
                               .as_published = options.config.procedure == "reference"});
}

std::vector<std::string> load_initial_weights(const Network& network,
                                              const run::RunConfig& config) {
  if (config.weights.empty()) {
    return {};
  }
  return load_weights(config.weights, network.weights(),
                      models::all().at(config.model).hub(config.model_options),
                      config.task == run::Task::train ? OtherHead::drawn : OtherHead::refused);
}

Samples next_on_device(Dataset& data, const DataOptions& options) {
  auto batch = data.next();
  const bool needs_labels = options.config.task == run::Task::train;
  for (auto* tensor : {&batch.inputs, &batch.labels, &batch.mask}) {
    if (tensor->defined() && (needs_labels || tensor != &batch.labels)) {
      *tensor = to_device(*tensor, options.device, options.procedure);
    }
  }
  return batch;
}

train::Batch batch_of(const Samples& samples, const record::Work& work) {
  const auto count = samples.inputs.defined() ? samples.inputs.size(0) : 0;
  return {.samples = count, .work = work.flops_per_sample * double(count)};
}

std::vector<std::int64_t> first_indices(std::int64_t count) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

}  // namespace epochcast::libtorch
