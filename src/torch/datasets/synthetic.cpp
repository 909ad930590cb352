// Random samples in memory, of whatever shape the model wants: for tests and benchmarks, where
// reading files must cost nothing.
#include "src/torch/memory_dataset.hpp"
#include "src/torch/options.hpp"
#include "src/torch/random.hpp"

namespace epochcast::datasets {
namespace {

constexpr std::int64_t classes_where_nobody_looks = 10;

Samples random_samples(std::int64_t count, const DatasetContext& context,
                       torch::Generator& random) {
  auto shape = context.input;
  shape.insert(shape.begin(), count);
  const auto classes = context.classes > 0 ? context.classes : classes_where_nobody_looks;
  const auto inputs = torch::empty(shape).uniform_(-1, 1, random);
  return {inputs, torch::randint(classes, {count}, random, torch::kLong)};
}

std::unique_ptr<Dataset> open_synthetic(const DatasetContext& context) {
  auto random = seeded("synthetic", option<std::int64_t>(context.options, "seed"), 0);
  auto samples = random_samples(option<std::int64_t>(context.options, "samples"), context, random);
  std::unique_ptr<Dataset> held_out;
  if (const auto count = option<std::int64_t>(context.options, "held_out"); count > 0) {
    held_out = std::make_unique<MemoryDataset>(random_samples(count, context, random));
  }
  return std::make_unique<MemoryDataset>(std::move(samples), std::move(held_out));
}

}  // namespace

DatasetSpec synthetic() {
  return {.summary = "Random samples in memory, for tests and benchmarks",
          .options = {{"samples", "integer", "1024", "samples", "Samples in the set", ">=1"},
                      {"held_out", "integer", "0", "samples", "Samples beside them to evaluate on",
                       ">=0"},
                      {"seed", "integer", "0", "1", "Seed of the samples (not of the training)"}},
          .open = open_synthetic};
}

}  // namespace epochcast::datasets
