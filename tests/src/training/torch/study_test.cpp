// The models and data of the published studies: counts as published, samples as their code draws
// them.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "src/training/torch/network/about.hpp"
#include "src/training/torch/network/model.hpp"
#include "src/training/torch/run/workload.hpp"
#include "tests/files.hpp"

namespace epochcast::libtorch {
namespace {

record::Work work_of(run::RunConfig config) {
  config.dataset = "synthetic";
  config.dataset_options = {{"samples", "100"}};
  config.batch = 100;
  return make_workload(config, {}, 1)->describe();
}

/// A layer's backward pass costs twice its forward pass, the first one's once: nobody asks for the
/// input's gradient.
double training_flops(double forward_macs, double first_layer_macs) {
  return 2 * (3 * forward_macs - first_layer_macs);
}

TEST(Mlp, HasTheStudysParametersAndWorkAtEveryDepth) {
  struct Row {
    std::int64_t depth, parameters, forward_macs;
  };
  constexpr std::array<Row, 12> study{{{2, 22, 16},
                                       {3, 70, 56},
                                       {4, 230, 200},
                                       {5, 806, 744},
                                       {6, 2'982, 2'856},
                                       {7, 11'430, 11'176},
                                       {8, 44'710, 44'200},
                                       {9, 176'806, 175'784},
                                       {10, 703'142, 701'096},
                                       {11, 2'804'390, 2'800'296},
                                       {12, 11'201'190, 11'193'000},
                                       {13, 44'772'006, 44'755'624}}};
  for (const auto& row : study) {
    run::RunConfig config{.model = "mlp"};
    config.model_options["depth"] = std::to_string(row.depth);
    const auto work = work_of(config);
    EXPECT_EQ(work.parameter_count, row.parameters) << row.depth;
    EXPECT_DOUBLE_EQ(work.flops_per_sample, training_flops(double(row.forward_macs), 8))
        << row.depth;
    EXPECT_EQ(work.convolution_flops_per_sample, 0);
  }
}

TEST(WideResnet, HasTheStudysParametersAndWork) {
  run::RunConfig config{.model = "wide_resnet"};
  const auto grey = work_of(config);
  EXPECT_EQ(grey.parameter_count, 17'117'466);
  constexpr double forward_macs = 1'846'596'096;  // the published 1.847 G
  EXPECT_DOUBLE_EQ(grey.flops_per_sample, training_flops(forward_macs, 28 * 28 * 16 * 9));
  EXPECT_DOUBLE_EQ(grey.flops_per_sample - grey.convolution_flops_per_sample,
                   training_flops(640 * 10, 0));
  config.model_options = {{"channels", "3"}, {"size", "32"}};
  const auto colour = work_of(config);
  EXPECT_EQ(colour.parameter_count, 17'117'754);
  EXPECT_NEAR(colour.flops_per_sample, 6 * 2.412e9, 0.01e9);
}

std::unique_ptr<Dataset> open_dataset(const std::string& name, run::OptionValues given,
                                      std::vector<std::int64_t> shape, std::int64_t classes) {
  const auto& spec = datasets::all().at(name);
  return spec.open({.options = run::complete_options(given, spec.options, "dataset", name),
                    .input = {.shape = std::move(shape), .classes = classes}});
}

std::vector<std::int64_t> all_of(Dataset& data) {
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < data.size(); ++i) {
    order.push_back(i);
  }
  return order;
}

Samples whole(Dataset& data) {
  data.start(all_of(data), data.size());
  return data.next();
}

Samples disc(const run::OptionValues& options) {
  return whole(*open_dataset("disc", options, {2}, 2));
}

double share_inside(const run::OptionValues& options) {
  return disc(options).labels.to(torch::kDouble).mean().item<double>();
}

TEST(Disc, IsNormalizedByOneMeanAndOneDeviation) {
  const auto samples = disc({});
  EXPECT_EQ(samples.inputs.sizes(), (std::vector<std::int64_t>{1000, 2}));
  EXPECT_NEAR(samples.inputs.mean().item<double>(), 0, 1e-6);
  EXPECT_NEAR(samples.inputs.std().item<double>(), 1, 1e-6);
  EXPECT_NE(samples.inputs.select(1, 0).mean().item<float>(), 0)
      << "not each coordinate by its own";
}

TEST(Disc, LabelsThePointsAsTheyWereDrawn) {
  const auto samples = disc({{"samples", "100000"}});
  const auto corner = samples.inputs.min();
  const auto side = (samples.inputs.max() - corner).item<double>();  // 1 before the division
  const auto distance = (samples.inputs - corner).square().sum(1).sqrt() / side;
  const auto inside = samples.labels == 1;
  EXPECT_NEAR(distance.masked_select(inside).max().item<double>(), 0.39894, 1e-3);
  EXPECT_NEAR(distance.masked_select(~inside).min().item<double>(), 0.39894, 1e-3);
}

TEST(Disc, HasTheDisagreementsOfTextAndCodeAsOptions) {
  EXPECT_NEAR(share_inside({{"samples", "100000"}}), 0.125, 0.005) << "the code";
  EXPECT_NEAR(share_inside({{"samples", "100000"}, {"low", "-1"}}), 0.125, 0.005);
  EXPECT_EQ(share_inside({{"low", "-1"}, {"radius", "1.5707963"}}), 1)
      << "the text: nothing is outside";
  EXPECT_NEAR(share_inside({{"samples", "100000"}, {"centre", "0.5"}}), 0.5, 0.01)
      << "the exercise";
}

TEST(Disc, ComesInTheSameOrderEveryEpoch) {
  run::RunConfig config{.model = "mlp", .dataset = "disc", .batch = 100};
  config.model_options["depth"] = "2";
  const auto once = [&] {
    const auto workload = make_workload(config, {}, 1);
    workload->start_epoch(0);
    while (workload->load_batch().samples > 0) {
    }
    workload->start_epoch(1);
    workload->load_batch();
    workload->step();
    return workload->losses();
  };
  const auto second_epoch = once();
  const auto first_epoch = [&] {
    const auto workload = make_workload(config, {}, 1);
    workload->start_epoch(0);
    workload->load_batch();
    workload->step();
    return workload->losses();
  }();
  EXPECT_EQ(first_epoch, second_epoch) << "the first batch of both epochs is the same";
}

TEST(Disc, RefusesAModelOfPictures) {
  EXPECT_EQ(error_of([] {
              open_dataset("disc", {}, {3, 64, 64}, 2);
            }),
            "dataset disc: the model needs samples of shape 3 x 64 x 64, expected a model for 2");
  EXPECT_EQ(error_of([] {
              open_dataset("disc", {{"low", "2"}}, {2}, 2);
            }),
            "dataset.low: found 2, expected a number below dataset.high=1");
  EXPECT_EQ(error_of([] { open_dataset("disc", {}, {2}, 1); }),
            "dataset disc: found labels up to 1, but the model distinguishes 1 class (labels from "
            "0); see "
            "the options of both");
}

/// Big-endian, as IDX has it.
std::string word(std::uint32_t number) {
  return {char(number >> 24), char(number >> 16), char(number >> 8), char(number)};
}

std::string images_of(std::uint32_t count, const std::string& bytes) {
  return word(0x803) + word(count) + word(28) + word(28) + bytes;
}

class FashionMnist : public testing::Test {
 protected:
  FashionMnist() {
    for (const std::string part : {"train", "t10k"}) {
      const std::uint32_t count = part == "train" ? 6 : 2;
      std::string bytes;
      for (std::size_t i = 0; i < count * 784; ++i) {
        bytes += char(i % 256);
      }
      set_bytes(folder / (part + "-images-idx3-ubyte"), images_of(count, bytes));
      set_bytes(folder / (part + "-labels-idx1-ubyte"),
                word(0x801) + word(count) + std::string(count, 7));
    }
  }
  std::string error() const {
    return error_of([&] { open(); });
  }
  std::unique_ptr<Dataset> open(const std::string& limit = "0",
                                std::vector<std::int64_t> shape = {1, 28, 28}) const {
    return open_dataset("fashion_mnist", {{"path", folder.path()}, {"limit", limit}},
                        std::move(shape), 10);
  }

  const TemporaryFolder folder;
};

TEST_F(FashionMnist, IsScaledToOneAndHasItsHeldOutPart) {
  const auto data = open();
  const auto samples = whole(*data);
  EXPECT_EQ(samples.inputs.sizes(), (std::vector<std::int64_t>{6, 1, 28, 28}));
  EXPECT_EQ(samples.inputs.flatten()[255].item<float>(), 1);
  EXPECT_EQ(samples.inputs.flatten()[51].item<float>(), 0.2F);
  EXPECT_EQ(samples.labels.sum().item<std::int64_t>(), 42);
  ASSERT_NE(data->held_out(), nullptr);
  EXPECT_EQ(data->held_out()->size(), 2);
  EXPECT_EQ(open("4")->size(), 4);
  EXPECT_EQ(open("4")->held_out()->size(), 2);
}

TEST_F(FashionMnist, IsInThreeEqualChannelsForAModelOfColorImages) {
  const auto data = open("4", {3, 28, 28});
  const auto samples = whole(*data);
  const auto grey = whole(*open("4")).inputs;
  EXPECT_TRUE(torch::allclose(samples.inputs, (grey.expand({4, 3, 28, 28}) - 0.5) / 0.5));
  EXPECT_TRUE(torch::equal(samples.labels, torch::full({4}, 7, torch::kLong)));
  EXPECT_EQ(data->held_out()->size(), 2);
  EXPECT_EQ(whole(*open("0", {3, 14, 14})).inputs.sizes(),
            (std::vector<std::int64_t>{6, 3, 14, 14}));
}

TEST_F(FashionMnist, NamesTheFileThatIsDamaged) {
  const auto labels = folder / "t10k-labels-idx1-ubyte";
  set_bytes(labels, word(0x801) + word(3) + std::string(3, 7));
  EXPECT_EQ(error(),
            folder.path() + ": found 2 images and 3 labels of 't10k', expected as many of both");
  set_bytes(folder / "train-images-idx3-ubyte",
            word(0x803) + word(6) + word(14) + word(56) + std::string(6 * 784, 0));
  EXPECT_EQ(error(), folder.path() + ": found images of 14 x 56 of 'train', expected 28 x 28");
  set_bytes(folder / "train-images-idx3-ubyte", images_of(6, std::string(6 * 784, 0)));
  set_bytes(labels, word(0x801) + word(2) + std::string(2, 10));
  EXPECT_EQ(error(), folder.path() + ": found the label 10 among those of 't10k', expected 0 to 9");
  std::filesystem::remove(folder / "train-labels-idx1-ubyte");
  EXPECT_EQ(
      error(),
      folder.path() + "/train-labels-idx1-ubyte: not there, neither as train-labels-idx1-ubyte.gz");
}

TEST(FashionMnistOfDebian, IsTheRealOne) {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
    GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed: env/deps tests does it";
  }
  const auto data = open_dataset("fashion_mnist", {}, {1, 28, 28}, 10);
  const auto train = whole(*data);
  EXPECT_EQ(data->size(), 60'000);
  EXPECT_EQ(data->held_out()->size(), 10'000);
  EXPECT_TRUE((train.labels.bincount() == 6'000).all().item<bool>());
  EXPECT_NEAR(train.inputs.mean().item<double>(), 0.2860, 1e-4);
}

run::RunConfig with_target(const std::string& accuracy) {
  run::RunConfig config{.model = "mlp", .dataset = "synthetic", .batch = 10};
  config.model_options["depth"] = "3";
  config.dataset_options = {{"samples", "40"}, {"held_out", "25"}};
  run::set_field(config, "target_accuracy", accuracy);
  return config;
}

TEST(Evaluation, IsOfAllHeldOutSamplesAndChangesNothing) {
  const auto workload = make_workload(with_target("0"), {}, 1);
  workload->start_epoch(0);
  const auto before = workload->parts().evaluator->evaluate();
  EXPECT_EQ(before[0].first, "val_loss");
  EXPECT_EQ(before[1].first, "val_accuracy");
  const double correct = before[1].second * 25;
  EXPECT_NEAR(correct, std::round(correct), 1e-9);
  EXPECT_EQ(workload->parts().evaluator->evaluate(), before);
  EXPECT_FALSE(workload->parts().evaluator->reached_target()) << "0 is no target";
}

TEST(Evaluation, ReachesATargetAfterAsManyConsecutiveEpochsAsPatienceRequiresAlsoOverAResume) {
  const TemporaryFolder folder;
  const auto config = with_target("0.01");  // any classifier is right now and then
  const auto first = make_workload(config, {}, 1);
  first->parts().evaluator->evaluate();
  EXPECT_FALSE(first->parts().evaluator->reached_target());
  first->parts().checkpoints->save(folder / "checkpoint");
  const auto second = make_workload(config, {}, 1);
  second->parts().checkpoints->restore(folder / "checkpoint");
  EXPECT_FALSE(second->parts().evaluator->reached_target());
  second->parts().evaluator->evaluate();
  EXPECT_TRUE(second->parts().evaluator->reached_target());
}

/// Its largest logit is the first, so the labels of class 0 seemed to be right.
TEST(Evaluation, OfADivergedNetworkNeitherReachesTheTargetNorIsTheBest) {
  auto config = with_target("0.01");
  config.patience = 1;
  config.best_by = "val_accuracy";
  config.optimizer_options = {{"learning_rate", "1e30"}};
  const auto workload = make_workload(config, {}, 1);
  workload->start_epoch(0);
  for (int step = 0; step < 4; ++step) {
    workload->load_batch();
    workload->step();
  }
  const auto scores = workload->parts().evaluator->evaluate();
  EXPECT_FALSE(std::isfinite(train::metric(scores, "val_loss")));
  EXPECT_EQ(train::metric(scores, "val_accuracy"), 0);
  EXPECT_FALSE(workload->parts().evaluator->reached_target());
  EXPECT_FALSE(workload->parts().evaluator->is_best());
  EXPECT_THAT(workload->notes(),
              testing::Contains("the network's output for 25 held-out samples was not finite: they "
                                "count as wrong"));
}

TEST(Evaluation, ATargetWithoutHeldOutSamplesIsRefused) {
  auto config = with_target("0.5");
  config.dataset_options.erase("held_out");
  EXPECT_EQ(error_of([&] { make_workload(config, {}, 1); }),
            "target_accuracy: mlp on synthetic has no batch of held-out samples to reach it on");
}

TEST(LastBatch, IsDroppedOnRequest) {
  auto config = with_target("0");
  config.batch = 12;
  config.last_batch = "drop";
  const auto work = make_workload(config, {}, 1)->describe();
  EXPECT_EQ(work.iterations_per_epoch, 3);
  EXPECT_EQ(work.samples_per_epoch, 36);
  config.batch = 41;
  EXPECT_EQ(
      error_of([&] { make_workload(config, {}, 1); }),
      "batch: found 41, expected at most the data set's 40 samples, since last_batch is drop");
}

}  // namespace
}  // namespace epochcast::libtorch
