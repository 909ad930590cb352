// The model of docs/contributing.md, which is compiled into this program.
#include <gtest/gtest.h>

#include "src/training/torch/network/model.hpp"

namespace epochcast::libtorch {

namespace models {
ModelSpec shallow();
}

namespace {

TEST(ContributingGuide, ModelExampleLearns) {
  torch::manual_seed(1);
  const run::OptionValues options{
      {"learning_rate", "0.5"}, {"momentum", "0"}, {"weight_decay", "0"}};
  const auto network =
      models::shallow().make({.options = {{"width", "8"}}, .optimizer = {"sgd", options}});
  const Samples batch{.inputs = torch::tensor({{1.0F, 1.0F}, {-1.0F, -1.0F}}),
                      .labels = torch::tensor({0, 1}, torch::kLong),
                      .mask = {}};
  const auto loss = [&] { return network->step(batch)[0].item<double>(); };
  const double first = loss();
  for (int i = 0; i < 50; ++i) {
    loss();
  }
  EXPECT_LT(loss(), first / 4);
}

}  // namespace
}  // namespace epochcast::libtorch
