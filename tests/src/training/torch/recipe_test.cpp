// The recipe that fine-tunes a classifier, through the workload: what its options do, that a resume
// is exact, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "src/training/torch/network/about.hpp"
#include "src/training/torch/run/workload.hpp"
#include "src/training/weights/safetensors.hpp"
#include "tests/files.hpp"

namespace epochcast::libtorch {
namespace {

using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

run::RunConfig small_run(const run::OptionValues& fields = {}) {
  run::RunConfig config{.model = "mlp", .dataset = "synthetic", .batch = 5};
  config.model_options["depth"] = "4";
  config.dataset_options = {{"samples", "40"}, {"held_out", "25"}};
  for (const auto& [name, value] : fields) {
    run::set_field(config, name, value);
  }
  return config;
}

void train_all(train::Workload& workload, int steps) {
  for (int i = 0; i < steps; ++i) {
    ASSERT_GT(workload.load_batch().samples, 0);
    workload.step();
  }
}

using Numbers = std::vector<float>;

/// The weights of the last layer behind `steps` steps.
Numbers weights_after(const run::RunConfig& config, int steps) {
  const TemporaryFolder folder;
  const auto workload = make_workload(config, {}, 1);
  workload->start_epoch(0);
  train_all(*workload, steps);
  workload->parts().evaluator->save_weights(folder / "weights.safetensors");
  const weights::SafetensorsFile file(folder / "weights.safetensors");
  for (const auto& tensor : file.tensors()) {
    if (tensor.name == "6.weight") {
      Numbers numbers(tensor.bytes.size() / sizeof(float));
      std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
      return numbers;
    }
  }
  return {};
}

Numbers difference(Numbers a, const Numbers& b) {
  std::ranges::transform(a, b, a.begin(), std::minus());
  return a;
}

TEST(Recipe, OfTwoBatchesAnUpdateIsThatOfOneOfTwiceTheSize) {
  const auto of_two = weights_after(small_run({{"accumulate", "2"}}), 8);
  const auto large = weights_after(small_run({{"batch", "10"}}), 4);
  EXPECT_THAT(of_two, Pointwise(FloatNear(1e-6F), large));
  EXPECT_THAT(weights_after(small_run(), 8), Not(Pointwise(FloatNear(1e-4F), large)));
}

TEST(Recipe, ChangesTheLearningRateWithEveryUpdate) {
  EXPECT_EQ(weights_after(small_run({{"warmup_updates", "4"}}), 1), weights_after(small_run(), 0));
  const run::OptionValues two_updates{{"batch", "20"}};
  auto falling = two_updates;
  falling["schedule"] = "linear";
  const auto middle = weights_after(small_run(two_updates), 1);
  auto full = difference(weights_after(small_run(two_updates), 2), middle);
  const auto half = difference(weights_after(small_run(falling), 2), middle);
  EXPECT_GT(*std::ranges::max_element(full), 1e-4F);
  std::ranges::for_each(full, [](float& number) { number /= 2; });
  EXPECT_THAT(half, Pointwise(FloatNear(1e-7F), full));
}

TEST(Recipe, DropsTheBatchesThatMakeNoWholeUpdate) {
  auto config = small_run({{"accumulate", "3"}, {"last_update", "drop"}});
  EXPECT_EQ(make_workload(config, {}, 1)->describe().iterations_per_epoch, 6);
  EXPECT_EQ(make_workload(config, {}, 1)->describe().samples_per_epoch, 30);
  config.accumulate = 9;
  EXPECT_EQ(
      error_of([&] { make_workload(config, {}, 1); }),
      "accumulate: found 9, expected at most the 8 batches of a pass, since last_update is drop");
}

TEST(Recipe, ContinuesInTheMiddleOfAnUpdateBitForBit) {
  const TemporaryFolder folder;
  for (const auto* precision : {"fp32", "bf16", "fp16"}) {
    const auto config = small_run({{"accumulate", "3"},
                                   {"clip_norm", "0.1"},
                                   {"schedule", "linear"},
                                   {"optimizer", "adamw"},
                                   {"precision", precision}});
    const auto whole = make_workload(config, {}, 1);
    whole->start_epoch(0);
    train_all(*whole, 8);
    whole->parts().checkpoints->save(folder / "whole");
    const auto first = make_workload(config, {}, 1);
    first->start_epoch(0);
    train_all(*first, 4);
    first->parts().checkpoints->save(folder / "half");
    const auto second = make_workload(config, {}, 1);
    EXPECT_EQ(second->parts().checkpoints->restore(folder / "half").iteration, 4);
    second->start_epoch(0);
    train_all(*second, 4);
    second->parts().checkpoints->save(folder / "second");
    EXPECT_EQ(bytes_of(folder / "whole"), bytes_of(folder / "second")) << precision;
  }
}

TEST(Recipe, OfAFallingLearningRateContinuesToTheSameEndOnly) {
  const TemporaryFolder folder;
  auto config = small_run({{"schedule", "linear"}, {"epochs", "2"}});
  make_workload(config, {}, 1)->parts().checkpoints->save(folder / "checkpoint");
  config.epochs = 3;
  EXPECT_THAT(error_of([&] {
                make_workload(config, {}, 1)->parts().checkpoints->restore(folder / "checkpoint");
              }),
              HasSubstr("is of a run with epochs 2; this run has 3"));
}

TEST(Recipe, RemembersTheBestScoreOverAResume) {
  const TemporaryFolder folder;
  const auto config = small_run({{"best_by", "val_loss"}});
  const auto first = make_workload(config, {}, 1);
  first->parts().evaluator->evaluate();
  EXPECT_TRUE(first->parts().evaluator->is_best());
  first->parts().evaluator->evaluate();
  EXPECT_FALSE(first->parts().evaluator->is_best()) << "the same again";
  first->parts().checkpoints->save(folder / "checkpoint");
  const auto second = make_workload(config, {}, 1);
  second->parts().checkpoints->restore(folder / "checkpoint");
  second->parts().evaluator->evaluate();
  EXPECT_FALSE(second->parts().evaluator->is_best());
  second->start_epoch(0);
  train_all(*second, 8);
  second->parts().evaluator->evaluate();
  EXPECT_TRUE(second->parts().evaluator->is_best()) << "a lower loss";
  second->parts().evaluator->save_weights(folder / "best.safetensors");
  auto next = small_run({{"weights", folder / "best.safetensors"}});
  const auto third = make_workload(next, {}, 1);
  EXPECT_EQ(third->parts().evaluator->evaluate(), second->parts().evaluator->evaluate());
}

TEST(Recipe, IsRefusedWhereItMeansNothing) {
  const auto error = [](const run::OptionValues& fields) {
    return error_of([&] { make_workload(small_run(fields), {}, 1); });
  };
  EXPECT_EQ(error({{"best_by", "val_acuracy"}}),
            "best_by: unknown score 'val_acuracy'; did you mean 'val_accuracy'?");
  EXPECT_EQ(error({{"best_by", "val_f1"}, {"dataset.held_out", "0"}}),
            "best_by: mlp on synthetic has no batch of held-out samples to be the best on");
  EXPECT_EQ(error({{"best_by", "val_loss"}, {"dataset.held_out", "4"}, {"last_batch", "drop"}}),
            "best_by: mlp on synthetic has no batch of held-out samples to be the best on");
  EXPECT_EQ(error({{"evaluate_every", "2"}, {"dataset.held_out", "0"}}),
            "evaluate_every: mlp on synthetic has no batch of held-out samples to score");
  run::RunConfig pair{.dataset = "synthetic", .clip_norm = 1};
  EXPECT_EQ(error_of([&] { resolve_defaults(pair); }),
            "clip_norm: found 1, expected '0', since model dcgan is no classifier");
}

TEST(Recipe, InHalfPrecisionDoesTheSameWorkOnHalfTheBytes) {
  const auto full = make_workload(small_run(), {}, 1)->describe();
  for (const auto* precision : {"bf16", "fp16"}) {
    const auto half = make_workload(small_run({{"precision", precision}}), {}, 1)->describe();
    EXPECT_EQ(half.precision.view(), precision);
    EXPECT_DOUBLE_EQ(half.flops_per_sample, full.flops_per_sample);
    EXPECT_DOUBLE_EQ(half.bytes_per_sample, full.bytes_per_sample / 2);
  }
}

}  // namespace
}  // namespace epochcast::libtorch
