// What tests/bench/classifiers gives both sides: the random weights and the batches of a run.
//
// usage: bench_case FOLDER NAME=VALUE...     (of a run: task=infer model=distilbert batch=8)
// Leaves in FOLDER: batches.safetensors, what a pass goes through ("inputs.0", "labels.0", "mask.0"
// where something is padded, ...); case.json, the model with all its options; and where the run
// names no weights of its own random ones, weights.safetensors.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "src/base/core/error.hpp"
#include "src/training/torch/network/about.hpp"
#include "src/training/torch/run/open_data.hpp"
#include "src/training/torch/run/rank_data.hpp"
#include "tests/bench/settings.hpp"

namespace {

using namespace epochcast;

/// Calls `keep` with every batch of the first pass, as the workload of the run sees it.
template <class Keep>
void go_through(const epochcast::libtorch::DataOptions& options, const Keep& keep) {
  const auto all = [&](const auto& next) {
    for (auto batch = next(); batch.inputs.defined(); batch = next()) {
      keep(batch);
    }
  };
  if (options.config.task == epochcast::run::Task::train) {
    epochcast::train::TeamOfOne alone;
    epochcast::libtorch::RankData data(options, alone);
    data.start(0, 0);
    all([&] { return data.next(); });
  } else {
    const auto data = epochcast::libtorch::open_data(options);
    data->start(epochcast::libtorch::first_indices(data->size()), options.config.batch);
    all([&] { return data->next(); });
  }
}

epochcast::libtorch::NamedTensors batches_of(const epochcast::libtorch::DataOptions& options) {
  epochcast::libtorch::NamedTensors tensors;
  int place = 0;
  go_through(options, [&](const epochcast::libtorch::Samples& batch) {
    const auto behind = "." + std::to_string(place++);
    for (const auto& [name, tensor] : epochcast::libtorch::NamedTensors{
             {"inputs", batch.inputs}, {"labels", batch.labels}, {"mask", batch.mask}}) {
      if (tensor.defined()) {
        tensors.emplace_back(name + behind, tensor.contiguous());
      }
    }
  });
  return tensors;
}

epochcast::libtorch::NamedTensors random_weights(const epochcast::run::RunConfig& config) {
  torch::manual_seed(std::uint64_t(config.seed));
  return epochcast::libtorch::models::all()
      .at(config.model)
      .make({.options = config.model_options,
             .procedure = epochcast::libtorch::Procedure::reference,
             .optimizer = {config.optimizer, config.optimizer_options}})
      ->weights();
}

int leave_case(const std::filesystem::path& folder, const epochcast::run::RunConfig& config) {
  std::filesystem::create_directories(folder);
  epochcast::libtorch::save_weights(
      folder / "batches.safetensors",
      batches_of({.config = config,
                  .model = epochcast::libtorch::models::all().at(config.model),
                  .dataset = epochcast::libtorch::datasets::all().at(config.dataset),
                  .seed = config.seed}));
  if (config.weights.empty()) {
    epochcast::libtorch::save_weights(folder / "weights.safetensors", random_weights(config));
  }
  std::ofstream(folder / "case.json") << nlohmann::json{{"model", config.model},
                                                        {"options", config.model_options},
                                                        {"optimizer", config.optimizer_options}};
  return epochcast::exit_done;
}

}  // namespace

int main(int argc, char** argv) {
  return epochcast::run_program("bench_case", [&] {
    if (argc < 2) {
      throw epochcast::Error("usage: bench_case FOLDER NAME=VALUE...");
    }
    return leave_case(
        argv[1], epochcast::libtorch::resolve_defaults(run_config_of({argv + 2, argv + argc})));
  });
}
