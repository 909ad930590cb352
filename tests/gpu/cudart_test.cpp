// The real LibTorch for CUDA and the trainer's library for it, on the stand-in for CUDA's runtime:
// what a GPU would see of the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>
#include <map>

#include "src/record/queries.hpp"
#include "src/training/torch/run/step_graphs.hpp"
#include "tests/gpu/simulated_gpu.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

const fs::path whole_torch = fs::path(EPOCHCAST_SOURCE_DIR) / ".deps/torch-2.11-cuda/torch/lib";

class OnStandIn : public SimulatedGpu {
 protected:
  void SetUp() override {
    const fs::path library = fs::path(EPOCHCAST_BINARY_DIR) / "../lib/epochcast";
    if (!fs::exists(EPOCHCAST_CUDA_STANDIN) || !fs::exists(whole_torch) ||
        !fs::exists(library / "libepochcast_cuda-2.11.so")) {
      GTEST_SKIP() << "no library for GPUs, no stand-in, or no whole LibTorch (env/deps cuda)";
    }
  }

  static process::CommandResult run(const Words& words, Environment more) {
    more.insert({{"LD_PRELOAD", EPOCHCAST_CUDA_STANDIN}, {"LD_LIBRARY_PATH", whole_torch}});
    return SimulatedGpu::run(words, "standin", more);
  }
  /// A test that is disabled here, in a process of its own on the stand-in.
  static void expect_passes(const std::string& test, const Environment& more = {}) {
    const auto result = run({fs::read_symlink("/proc/self/exe"), "--gtest_also_run_disabled_tests",
                             "--gtest_filter=CaseOnStandIn.DISABLED_" + test},
                            more);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("[  PASSED  ] 1 test"));
  }

  /// The training must end well.
  process::CommandResult train(const SmallModel& model, const Words& more,
                               const Environment& environment = {}) const {
    const auto result = run(on("cuda", model, "p", 2, more), environment);
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  }
  static long counted(const process::CommandResult& result, const std::string& name) {
    return SimulatedGpu::counted(result, name, "stand-in: launches ");
  }
  record::Record record() const { return RanksTest::record("p", "standin"); }
};

// Of the last three steps of six, unless they wait for the device.
std::string note_of_steps(bool wait) {
  libtorch::StepGraphs graphs(true);
  auto sum = torch::ones({1000}, torch::kCUDA);
  const libtorch::Samples batch{.inputs = torch::ones({1000}, torch::kCUDA)};
  for (int i = 0; i < 6; ++i) {
    graphs.run(batch, [&](const libtorch::Samples& of) {
      sum.add_(torch::dropout(of.inputs, 0.1, true));
      if (wait) {
        sum.sum().item<float>();
      }
      return torch::Tensor();
    });
  }
  return graphs.note();
}

void take_gib(std::int64_t count) {
  torch::empty({count << 30}, torch::dtype(torch::kByte).device(torch::kCUDA));
}

TEST(CaseOnStandIn, DISABLED_TwoWorkloads) {
  EXPECT_THAT(note_of_steps(false), HasSubstr("3 of 6 steps were replays of 1 CUDA graph"));
  take_gib(5);
  EXPECT_THAT(note_of_steps(false), HasSubstr("3 of 6 steps were replays of 1 CUDA graph"));
}

TEST(CaseOnStandIn, DISABLED_AfterAStepThatWaits) {
  EXPECT_THAT(note_of_steps(true), HasSubstr("no CUDA graph after 0 of 6 steps"));
  take_gib(4);
  EXPECT_NO_THROW(take_gib(5)) << "blocks are kept";
  EXPECT_THAT(note_of_steps(false), HasSubstr("3 of 6 steps were replays of 1 CUDA graph"));
}

TEST(CaseOnStandIn, DISABLED_WithoutCaptures) {
  EXPECT_THAT(note_of_steps(false), HasSubstr("no CUDA graph after 0 of 6 steps"));
}

TEST_F(OnStandIn, EachWorkloadOfAProcessReplays) {
  expect_passes("TwoWorkloads");
}

TEST_F(OnStandIn, AFailedCaptureLeavesMemoryAndRandomNumbersAsTheyWere) {
  expect_passes("AfterAStepThatWaits");
}

TEST_F(OnStandIn, StepsGoOnWhereNoCaptureCanBegin) {
  expect_passes("WithoutCaptures", {{"STANDIN_GRAPHS", "0"}});
}

TEST_F(OnStandIn, ADriverThatIsTooOldIsNamed) {
  const auto result = run(on("cuda", small_mlp, "p", 1), {{"STANDIN_DRIVER", "12040"}});
  EXPECT_THAT(result.err, HasSubstr("driver on your system is too old (found version 12040)"));
}

TEST_F(OnStandIn, Bf16OnACardWithoutItIsNoted) {
  train(small_mlp, {"--precision=bf16"}, {{"STANDIN_SM", "75"}});
  EXPECT_THAT(record().header.note.str(), HasSubstr("this GPU has no bf16 arithmetic"));
  EXPECT_EQ(record().work.front().precision.view(), "bf16");
}

TEST_F(OnStandIn, AShapeThatComesOnceAnEpochIsNotCaptured) {
  run(on("cuda", small_mlp, "p", 6, {"--dataset.samples=11"}), {});
  EXPECT_THAT(record().header.note.str(), HasSubstr("27 of 36 steps were replays of 1 CUDA graph"));
}

TEST_F(OnStandIn, TheMemoryOfStepsThatTryKernelsIsApart) {
  const auto peaks = [&](const Words& more) {
    train(small_mlp, more);
    std::map<std::string, double> found;
    for (const auto& metric : record().metrics) {
      found[metric.name.str()] = metric.value;
    }
    fs::remove_all(folder / "records");
    return found;
  };
  const auto apart = peaks({});
  EXPECT_GT(apart.at("peak_gpu_memory_bytes"), 0);
  EXPECT_GT(apart.at("peak_gpu_memory_of_trials_bytes"), 0);
  EXPECT_FALSE(peaks({"--kernels=default"}).contains("peak_gpu_memory_of_trials_bytes"));
}

class OnEachCard : public OnStandIn,
                   public testing::WithParamInterface<std::tuple<std::string, SmallModel>> {};

TEST_P(OnEachCard, AStepIsCapturedInAStreamOfItsOwn) {
  const auto& [architecture, model] = GetParam();
  const auto result =
      train(model, {"--dataset.samples=48", "--model.dropout=0.1"}, {{"STANDIN_SM", architecture}});
  EXPECT_THAT(record().header.note.str(), HasSubstr("of 48 steps were replays of "));
  EXPECT_LE(counted(result, "default"), 2) << "from open_device()";
  EXPECT_EQ(counted(result, "outside"), 0);
  EXPECT_EQ(counted(result, "crossings"), 0);
}

INSTANTIATE_TEST_SUITE_P(Cards, OnEachCard,
                         testing::Combine(testing::Values("70", "75", "80", "90"),
                                          testing::Values(small_distilbert)));

TEST_F(OnStandIn, TheHostIsAtMostTwoStepsAheadOfTheGpu) {
  const auto result =
      train(small_mlp, {"--dataset.samples=400", "--max_time=2s"}, {{"STANDIN_REPLAY_MS", "20"}});
  EXPECT_LE(counted(result, "queued"), 3);
  EXPECT_LE(counted(result, "pinned"), 10) << "inputs and labels of five batches";
  EXPECT_LE(counted(result, "replays"), 2 / 0.02 + 3);
}

TEST_F(OnStandIn, TheRecordedStepsAddUpToTheirEpoch) {
  train(small_mlp, {"--dataset.samples=200"}, {{"STANDIN_REPLAY_MS", "10"}});
  const auto made = record();
  const auto rows = record::first_rank(made);
  const auto& epoch = made.epochs.back();
  double device_s = 0;
  for (const auto* row : rows) {
    device_s += row->epoch == epoch.epoch ? row->device_s : 0;
  }
  const double starts_s = rows.back()->start_s - epoch.start_s;
  const auto steps = double(epoch.iterations);
  EXPECT_NEAR(starts_s / (steps - 1), epoch.wall_s / steps, 0.05 * epoch.wall_s / steps);
  EXPECT_NEAR(device_s, steps * 0.01, steps * 1e-4);
}

}  // namespace
}  // namespace epochcast
