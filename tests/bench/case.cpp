// What tests/bench/classifiers gives both sides: the random weights and the batches of a run.
//
// usage: bench_case FOLDER NAME=VALUE...     (of a run: task=infer model=distilbert batch=8)
// Leaves in FOLDER: batches.safetensors, what a pass goes through ("inputs.0", "labels.0", "mask.0"
// where something is padded, ...); case.json, the model with all its options; and where the run
// names no weights of its own random ones, weights.safetensors.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "src/core/error.hpp"
#include "src/torch/about.hpp"
#include "src/torch/open_data.hpp"
#include "src/torch/rank_data.hpp"
#include "tests/bench/settings.hpp"

namespace {

using namespace epochcast;

/// Calls `keep` with every batch of the first pass, as the workload of the run sees it.
template <class Keep>
void go_through(const DataOptions& options, const Keep& keep) {
  const auto all = [&](const auto& next) {
    for (auto batch = next(); batch.inputs.defined(); batch = next()) {
      keep(batch);
    }
  };
  if (options.config.task == "train") {
    TeamOfOne alone;
    RankData data(options, alone);
    data.start(0, 0);
    all([&] { return data.next(); });
  } else {
    const auto data = open_data(options);
    data->start(first_indices(data->size()), options.config.batch);
    all([&] { return data->next(); });
  }
}

NamedTensors batches_of(const DataOptions& options) {
  NamedTensors tensors;
  int place = 0;
  go_through(options, [&](const Samples& batch) {
    const auto behind = "." + std::to_string(place++);
    for (const auto& [name, tensor] :
         NamedTensors{{"inputs", batch.inputs}, {"labels", batch.labels}, {"mask", batch.mask}}) {
      if (tensor.defined()) {
        tensors.emplace_back(name + behind, tensor.contiguous());
      }
    }
  });
  return tensors;
}

NamedTensors random_weights(const RunConfig& config) {
  torch::manual_seed(std::uint64_t(config.seed));
  return models::all()
      .at(config.model)
      .make({.options = config.model_options,
             .procedure = Procedure::lab,
             .optimizer = {config.optimizer, config.optimizer_options}})
      ->weights();
}

int leave_case(const std::filesystem::path& folder, const RunConfig& config) {
  std::filesystem::create_directories(folder);
  save_weights(folder / "batches.safetensors",
               batches_of({.config = config,
                           .model = models::all().at(config.model),
                           .dataset = datasets::all().at(config.dataset),
                           .seed = config.seed}));
  if (config.weights.empty()) {
    save_weights(folder / "weights.safetensors", random_weights(config));
  }
  std::ofstream(folder / "case.json") << nlohmann::json{{"model", config.model},
                                                        {"options", config.model_options},
                                                        {"optimizer", config.optimizer_options}};
  return exit_done;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("bench_case", [&] {
    if (argc < 2) {
      throw Error("usage: bench_case FOLDER NAME=VALUE...");
    }
    return leave_case(argv[1], completed(run_config_of({argv + 2, argv + argc})));
  });
}
