// The disc data set of the depth sweep: points in a square, class 1 inside a disc. The text and the
// code of the published study have different squares, discs and learning rates. The defaults are
// the values of the code, which produced the published times. The text has a square from -1 to 1, a
// radius of 0.5 pi (no point is outside) and a learning rate of 0.01. The exercise on which the
// study is based has the disc in the middle of the square (option `centre` 0.5), where half of the
// points are inside.
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/base/random.hpp"
#include "src/training/torch/data/memory_dataset.hpp"

namespace epochcast::libtorch::datasets {
namespace {

constexpr std::int64_t disc_classes = 2;

/// Computes the labels first, from the points as drawn. Then it subtracts the mean of the points
/// and divides by their standard deviation, both over all coordinates together, as the study's code
/// does.
Samples disc_samples(const run::OptionValues& options) {
  auto random = seeded("disc", option<std::int64_t>(options, "seed"), 0);
  const auto low = option<double>(options, "low");
  const auto high = option<double>(options, "high");
  if (low >= high) {
    throw Error("dataset.low: found " + options.at("low") +
                ", expected a number below dataset.high=" + options.at("high"));
  }
  const auto points =
      torch::empty({option<std::int64_t>(options, "samples"), 2}).uniform_(low, high, random);
  const auto radius = option<double>(options, "radius");
  const auto inside =
      (points - option<double>(options, "centre")).square().sum(1) <= radius * radius;
  return {(points - points.mean()) / points.std(), inside.to(torch::kLong)};
}

std::unique_ptr<Dataset> open_disc(const DatasetContext& context) {
  check_shape(context, "disc", {2});
  check_classes(context, "disc", disc_classes);
  return std::make_unique<MemoryDataset>(disc_samples(context.options));
}

}  // namespace

DatasetSpec disc() {
  return {
      .summary = "Points (x, y) in a square, class 1 inside a disc, in the same order every epoch",
      .options = {{"samples", "integer", "1000", "samples", "Points in the set", ">=2"},
                  {"low", "number", "0", "1",
                   "Lower end of both coordinates (the study's text: -1)"},
                  {"high", "number", "1", "1", "Upper end of both coordinates"},
                  {"radius", "number", "0.3989422804014327", "1",
                   "Radius of the disc, boundary inside: the root of 1/(2 pi) (the text: 0.5 pi)",
                   ">0"},
                  {"centre", "number", "0", "1", "Both coordinates of its centre"},
                  {"seed", "integer", "0", "1", "Seed of the points (not of the training)"}},
      .shuffled = false,
      .open = open_disc};
}

}  // namespace epochcast::libtorch::datasets
