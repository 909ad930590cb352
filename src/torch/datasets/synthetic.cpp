// Random samples in memory, of whatever shape the model wants: for tests and benchmarks, where reading files
// must cost nothing.
#include "src/torch/dataset.hpp"
#include "src/torch/options.hpp"
#include "src/torch/random.hpp"

namespace epochcast::datasets {
namespace {

constexpr std::int64_t classes_where_nobody_looks = 10;

class Synthetic : public Dataset {
 public:
  explicit Synthetic(const DatasetContext& context) {
    const auto samples = option<std::int64_t>(context.options, "samples");
    auto random = seeded("synthetic", option<std::int64_t>(context.options, "seed"), 0);
    auto shape = context.input;
    shape.insert(shape.begin(), samples);
    all_.inputs = torch::empty(shape).uniform_(-1, 1, random);
    const auto classes = context.classes > 0 ? context.classes : classes_where_nobody_looks;
    all_.labels = torch::randint(classes, {samples}, random, torch::kLong);
  }

  std::int64_t size() const override { return all_.inputs.size(0); }

  void start(std::vector<std::int64_t> order, std::int64_t batch) override {
    order_ = torch::tensor(order, torch::kLong);
    batch_ = batch;
    next_ = 0;
  }

  Samples next() override {
    if (next_ >= order_.size(0)) {
      return {};
    }
    const auto indices = order_.slice(0, next_, next_ + batch_);
    next_ += batch_;
    return {all_.inputs.index_select(0, indices), all_.labels.index_select(0, indices)};
  }

 private:
  Samples all_;
  torch::Tensor order_ = torch::empty({0}, torch::kLong);
  std::int64_t batch_ = 1;
  std::int64_t next_ = 0;
};

}  // namespace

DatasetSpec synthetic() {
  return {.summary = "Random samples in memory, for tests and benchmarks",
          .options = {{"samples", "integer", "1024", "samples", "Samples in the set", ">=1"},
                      {"seed", "integer", "0", "1", "Seed of the samples (not of the training)"}},
          .open = [](const DatasetContext& context) { return std::make_unique<Synthetic>(context); }};
}

}  // namespace epochcast::datasets
