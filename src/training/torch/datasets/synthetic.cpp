// Random samples in memory, images or tokens, of the shape that the model needs. For tests and
// benchmarks, which must not spend time on reading files.
#include <algorithm>
#include <cmath>

#include "src/training/torch/base/options.hpp"
#include "src/training/torch/base/random.hpp"
#include "src/training/torch/data/memory_dataset.hpp"

namespace epochcast::libtorch::datasets {
namespace {

constexpr std::int64_t classes_where_nobody_looks = 10;

/// True up to the length of each sample. Lengths are distributed uniformly from the shortest,
/// `shortest` times `most` but at least 1, to all `most` tokens.
torch::Tensor random_mask(std::int64_t count, std::int64_t most, double shortest,
                          torch::Generator& random) {
  const auto least = std::max<std::int64_t>(1, std::llround(shortest * double(most)));
  const auto lengths = torch::randint(least, most + 1, {count, 1}, random, torch::kLong);
  return torch::arange(most) < lengths;
}

Samples random_samples(std::int64_t count, const DatasetContext& context,
                       torch::Generator& random) {
  const auto vocabulary = context.input.vocabulary;
  auto shape = context.input.shape;
  shape.insert(shape.begin(), count);
  Samples samples;
  samples.inputs = vocabulary > 0 ? torch::randint(vocabulary, shape, random, torch::kLong)
                                  : torch::empty(shape).uniform_(-1, 1, random);
  const auto classes =
      context.input.classes > 0 ? context.input.classes : classes_where_nobody_looks;
  samples.labels = torch::randint(classes, {count}, random, torch::kLong);
  const auto shortest = option<double>(context.options, "shortest");
  if (vocabulary > 0 && shortest < 1) {
    samples.mask = random_mask(count, shape.back(), shortest, random);
  }
  return samples;
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
  return {.summary = "Random samples of the model's shape in memory, for tests and benchmarks",
          .options = {{"samples", "integer", "1024", "samples", "Samples in the set", ">=1"},
                      {"held_out", "integer", "0", "samples", "Samples beside them to evaluate on",
                       ">=0"},
                      {"shortest", "number", "1", "1",
                       "Shortest sample of tokens, as a part of the longest; the rest is padding",
                       "0..1"},
                      {"seed", "integer", "0", "1", "Seed of the samples (not of the training)"}},
          .open = open_synthetic};
}

}  // namespace epochcast::libtorch::datasets
