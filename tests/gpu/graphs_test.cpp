// Steps of a training as replays of CUDA graphs, on the simulated device.
#include <gmock/gmock.h>

#include "src/record/queries.hpp"
#include "tests/gpu/simulated_gpu.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;
using testing::Not;

class SimulatedGraphs : public SimulatedGpu {
 protected:
  /// 12 steps in 2 epochs, the last of an epoch on a smaller batch; in groups of three, so that
  /// each update's learning rate differs.
  static Words steps(Words more = {}) {
    more.insert(more.end(), {"--dataset.samples=11", "--schedule=linear", "--warmup_updates=4"});
    return more;
  }

  std::string note(const std::string& point) const {
    return record(point, "cuda").header.note.str();
  }

  static const Words& as_they_are() {
    static const Words words{"--cuda_graphs=false"};
    return words;
  }
};

class SimulatedReplays : public SimulatedGraphs, public testing::WithParamInterface<SmallModel> {};

/// The learning rate differs in every step, and the second epoch continues with the graphs of the
/// first.
TEST_P(SimulatedReplays, GiveTheLossesOfStepsAsTheyAre) {
  const auto replayed = train("cuda", GetParam(), "graphs", 2, steps());
  const auto before = train("cuda", GetParam(), "steps", 2, steps(as_they_are()));
  EXPECT_GE(counted(replayed, "replays"), 5) << replayed.err;
  EXPECT_EQ(counted(before, "replays"), 0);
  EXPECT_LT(counted(replayed, "operators"), counted(before, "operators"));
  EXPECT_THAT(note("graphs"), HasSubstr("of 12 steps were replays of 1 CUDA graph"));
  EXPECT_THAT(replayed.err, Not(HasSubstr("0 of 0 steps")));
  EXPECT_THAT(note("steps"), Not(HasSubstr("graph")));
  expect_near(record("graphs", "cuda"), record("steps", "cuda"), 1e-9);
  train("cpu", GetParam(), "graphs", 2, steps());
  expect_near(record("graphs", "cuda"), record("graphs", "cpu"), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Models, SimulatedReplays,
                         testing::Values(small_mlp, small_wide_resnet, small_deit, small_dcgan));

TEST_F(SimulatedGraphs, AreOnePerShapeOfTheBatches) {
  auto model = small_distilbert;
  model.options.emplace_back("--model.dropout=0.1");
  const auto words = [](Words more) {
    more.emplace_back("--dataset.samples=60");
    return more;
  };
  train("cuda", model, "graphs", 2, words({"--precision=bf16"}));
  train("cuda", model, "steps", 2, words({"--precision=bf16", "--cuda_graphs=false"}));
  EXPECT_THAT(note("graphs"), testing::ContainsRegex("of 60 steps were replays of [2-9] CUDA"));
  expect_near(record("graphs", "cuda"), record("steps", "cuda"), 1e-9);
}

TEST_F(SimulatedGraphs, FollowTheOptimizer) {
  int number = 0;
  for (const Words& optimizer : {Words{"--optimizer=sgd", "--optimizer.momentum=0.9"},
                                 {"--optimizer=sgd"},
                                 {"--optimizer=adamw"},
                                 {"--optimizer=novograd", "--clip_norm=0.5"}}) {
    const auto point = "p" + std::to_string(number++);
    EXPECT_GE(counted(train("cuda", small_mlp, point, 2, steps(optimizer)), "replays"), 5);
    train("cpu", small_mlp, point, 2, steps(optimizer));
    expect_near(record(point, "cuda"), record(point, "cpu"), 1e-6);
  }
}

TEST_F(SimulatedGraphs, GoOnAfterAScoreAndACheckpoint) {
  const Words more{"--dataset.held_out=4", "--evaluate_every=2"};
  train("cuda", small_mlp, "whole", 3, steps(more));
  auto first = steps(more);
  first.emplace_back("--max_iterations=10");
  train("cuda", small_mlp, "p", 3, first);
  auto rest = steps(more);
  rest.emplace_back("--resume=true");
  const auto result = run(on("cuda", small_mlp, "p", 3, rest), "second");
  EXPECT_GE(counted(result, "replays"), 3) << result.err;
  auto both = record("p", "second");
  const auto before = record("p", "cuda");
  both.metrics.insert(both.metrics.begin(), before.metrics.begin(), before.metrics.end());
  EXPECT_EQ(all_losses(both), all_losses(record("whole", "cuda")));
}

TEST_F(SimulatedGraphs, AreNotUsedWhereAStepCannotBeRepeated) {
  for (const Words& words : {Words{"--precision=fp16"},
                             {"--accumulate=2"},
                             {"--profile=1"},
                             {"--procedure=reference"}}) {
    const auto point = "p" + words.front().substr(2, 4);
    EXPECT_EQ(counted(train("cuda", small_mlp, point, 2, steps(words)), "replays"), 0);
    EXPECT_THAT(note(point), Not(HasSubstr("graph")));
  }
}

TEST_F(SimulatedGraphs, ThatCannotBeCapturedLeaveTheStepsAsTheyAre) {
  const auto result =
      run(on("cuda", small_mlp, "p", 2, steps()), "cuda", {{"SIMULATED_CUDA_GRAPHS", "0"}});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(note("p"), HasSubstr("no CUDA graph after 0 of 12 steps: CUDA error: operation not "
                                   "supported"));
  train("cpu", small_mlp, "p", 2, steps());
  expect_near(record("p", "cuda"), record("p", "cpu"), 1e-6);
}

}  // namespace
}  // namespace epochcast
