// Two ranks on two simulated devices, with a stand-in for NCCL.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/gpu/simulated_gpu.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;
using testing::Not;

class SimulatedRanks : public SimulatedGpu {
 protected:
  Words ranks_on(const std::string& device, const std::string& point, int epochs,
                 const Words& more = {}) const {
    auto all = small_words(2, point, epochs, more);
    all.push_back("--device=" + device);
    return all;
  }
};

TEST_F(SimulatedRanks, HaveTheLossesOfTwoOnTheCpuAndLeaveInOrder) {
  ASSERT_EQ(run(ranks_on("cpu", "p", 2), "cpu").status, 0);
  const auto result = run(ranks_on("cuda", "p", 2), "cuda", {{"SIMULATED_CUDA_LOG", "0"}});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("WARNING"))) << "the group was shut down";
  const auto written = record("p", "cuda");
  expect_near(written, record("p", "cpu"), 1e-6);
  ASSERT_EQ(written.machines.size(), 2u);
  for (const auto& machine : written.machines) {
    EXPECT_EQ(machine.gpu_name.view(), "simulated CUDA device");
  }
  EXPECT_NE(written.machines[0].gpu_uuid.view(), written.machines[1].gpu_uuid.view());
  ASSERT_FALSE(written.probes.empty());
  EXPECT_EQ(written.probes.front().backend.view(), "nccl");
}

TEST_F(SimulatedRanks, AgreeOnStatisticsOfABatchToo) {
  Words more{"--device=cuda", "--model=wide_resnet", "--model.sync_batch_norm=true"};
  more.insert(more.end(), small_wide_resnet.options.begin(), small_wide_resnet.options.end());
  const auto result = run(ranks_words(2, "p", 1, more), "job");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(record("p", "job").header.outcome.view(), "complete");
}

/// NCCL's watchdog would end the other ranks before the heartbeat can name the lost one.
TEST_F(SimulatedRanks, NameTheOneThatIsLostInOneLine) {
  setenv("LD_LIBRARY_PATH", EPOCHCAST_SIMULATED_CUDA, 1);
  Running running(ranks_on("cuda", "p", 1'000'000, {"--checkpoint-every=100000"}), "job",
                  folder / "log");
  ASSERT_TRUE(running.wait_for("epoch 2/")) << running.printed();
  kill(processes_of_ranks(running.pid()).at(1), SIGKILL);
  EXPECT_NE(running.wait(), 0);
  const auto printed = running.printed();
  const auto header = record("p", "job").header;
  EXPECT_EQ(header.outcome.view(), "failed") << printed;
  EXPECT_THAT(header.outcome_text.str(), HasSubstr("rank 1 on "));
  EXPECT_THAT(printed, HasSubstr("epochcast-train: error: " + header.outcome_text.str()));
  EXPECT_THAT(printed, Not(HasSubstr("taking the entire process down")));
}

TEST_F(SimulatedRanks, SayWhichHasNoGpu) {
  const auto result = run(ranks_on("cuda", "p", 1), "job",
                          {{"SIMULATED_CUDA_GPUS", "1"}, {"SIMULATED_CUDA_LOG", "0"}});
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("rank 1 on "));
  EXPECT_THAT(result.err, HasSubstr("device cuda: no GPU that CUDA can use"));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_THAT(record("p", "job").header.outcome_text.str(), HasSubstr("device cuda: no GPU"));
}

}  // namespace
}  // namespace epochcast
