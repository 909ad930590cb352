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

DeviceBatches::DeviceBatches(Dataset& data, const DataOptions& options)
    : data_(data),
      device_(options.device),
      procedure_(options.procedure),
      moved_{&Samples::inputs, &Samples::mask} {
  if (options.config.task == run::Task::train) {
    moved_.push_back(&Samples::labels);
  }
  if (device_.is_cuda() && procedure_ == Procedure::optimized) {
    thread_ = std::make_unique<image::WorkerPool>(1);
  }
}

void DeviceBatches::start(std::vector<std::int64_t> order, std::int64_t batch) {
  if (thread_) {
    thread_->clear();
  }
  wait();
  ahead_.clear();
  data_.start(std::move(order), batch);
  while (thread_ && ahead_.size() < 2) {
    make_ahead();
  }
}

void DeviceBatches::wait() const {
  for (const auto& batch : ahead_) {
    batch.wait();
  }
}

void DeviceBatches::make_ahead() {
  ahead_.push_back(thread_->submit([this] {
    auto batch = data_.next();
    for (const auto tensor : moved_) {
      if ((batch.*tensor).defined()) {
        batch.*tensor = (batch.*tensor).pin_memory();
      }
    }
    return batch;
  }));
}

Samples DeviceBatches::next_on_host() {
  if (!thread_) {
    return data_.next();
  }
  make_ahead();
  auto batch = ahead_.front().get();
  ahead_.pop_front();
  return batch;
}

Samples DeviceBatches::next() {
  auto batch = next_on_host();
  for (const auto tensor : moved_) {
    if ((batch.*tensor).defined()) {
      batch.*tensor = to_device(batch.*tensor, device_, procedure_);
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
