#include "src/measure/attempt/start.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "src/base/core/error.hpp"
#include "src/measure/attempt/signals.hpp"
#include "src/record/run/allocation.hpp"
#include "src/record/run/prices.hpp"

namespace epochcast::attempt {
namespace {

using testing::HasSubstr;

const run::RunConfig start_config{.epochs = 3, .model_options = {{"width", "64"}}};
const run::RunOutput output{.point = "dcgan.cpu2.e3.r0", .experiment = "lab", .allocation = "cpu2"};

TEST(StartRecord, HoldsUserHostAndVersions) {
  const slurm::Environment environment{
      {"EPOCHCAST_JOB_ID", "local-5"},
      {"SLURM_RESTART_COUNT", "1"},
      {"EPOCHCAST_ASKED", run::pack({.partition = "p", .cpus = 2})},
      {"OMP_NUM_THREADS", "2"}};
  const auto record = start_record({.parameters = run::to_parameters(start_config),
                                    .output = output,
                                    .environment = environment,
                                    .threads = 2,
                                    .libraries = "LibTorch 9"});
  EXPECT_EQ(record.header.point.view(), "dcgan.cpu2.e3.r0");
  EXPECT_EQ(record.header.experiment.view(), "lab");
  EXPECT_EQ(record.header.allocation.view(), "cpu2");
  EXPECT_EQ(record.header.job_id.view(), "local-5");
  EXPECT_EQ(record.header.restart, 1);
  EXPECT_EQ(record.header.tainted.view(), "requeued: another node and time");
  EXPECT_EQ(record.header.outcome.view(), "running");
  EXPECT_FALSE(record.header.created_at.view().empty());
  ASSERT_EQ(record.machines.size(), 1u);
  EXPECT_EQ(record.machines[0].threads_used, 2);
  EXPECT_EQ(record.machines[0].libraries.view(), "LibTorch 9");
  EXPECT_EQ(record.machines[0].binary_sha256.view().size(), 64u);
  EXPECT_EQ(record.parameters.size(), run::to_parameters(start_config).size());
  EXPECT_EQ(record.allocation.at(0).name.view(), "partition");
  EXPECT_EQ(record.modules, "OMP_NUM_THREADS=2\n");
}

/// It would name a file outside the folders of records and work.
TEST(StartRecord, RefusesAPointThatIsNoNameOfAFile) {
  for (const auto* point : {"../x", "/tmp/x", "a/b", "..", ".", ""}) {
    const run::RunOutput outside{.point = point};
    try {
      start_record({.parameters = {}, .output = outside, .environment = {}, .libraries = ""});
      FAIL() << point;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), "--point: found '" + std::string(point) +
                                  "', expected a name of a file, without '/'");
    }
  }
}

TEST(StartRecord, RefusesAnAllocationThatNoGeneratorWrote) {
  const slurm::Environment environment{{"EPOCHCAST_ASKED", "cpsu=2"}};
  try {
    start_record({.parameters = run::to_parameters(start_config),
                  .output = output,
                  .environment = environment,
                  .libraries = ""});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("EPOCHCAST_ASKED"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'cpus'?"));
    EXPECT_EQ(error.status(), exit_bad_input);
  }
}

TEST(StartRecord, KeepsThePricesOfTheSite) {
  const auto start = [](const std::string& prices) {
    const slurm::Environment environment{{"EPOCHCAST_PRICES", prices}};
    return start_record({.parameters = run::to_parameters(start_config),
                         .output = output,
                         .environment = environment,
                         .libraries = ""});
  };
  const auto record = start(
      run::pack(run::Prices{.currency = "EUR", .cpu_hour = 0.01, .gpu_hour = {}, .node_hour = 0}));
  ASSERT_EQ(record.allocation.size(), 3u);
  EXPECT_EQ(record.allocation[0].name.view(), "price_currency");
  EXPECT_EQ(record.allocation[0].asked.view(), "EUR");
  EXPECT_EQ(record.allocation[1].name.view(), "price_cpu_hour");
  EXPECT_EQ(record.allocation[1].asked.view(), "0.01");
  EXPECT_EQ(record.allocation[2].name.view(), "price_node_hour");
  EXPECT_EQ(record.allocation[2].asked.view(), "0");
  EXPECT_TRUE(record.header.tainted.view().empty());
  EXPECT_TRUE(start("").allocation.empty());
  EXPECT_THROW(start("cpu_hour=cheap;currency=EUR"), Error);
}

TEST(DefaultPoint, NamesTheRunAndDependsOnEveryParameter) {
  const auto point = default_point(start_config);
  EXPECT_THAT(point, testing::MatchesRegex("dcgan\\.e3\\.r0-[0-9a-f]{8}"));
  auto other = start_config;
  other.batch = 64;
  EXPECT_NE(default_point(other), point);
  EXPECT_EQ(default_point(start_config), point);
}

TEST(StopSignals, SetTheFlagToTheFirst) {
  const auto& stop = install_stop_signals();
  EXPECT_EQ(stop.signal(), 0);
  std::raise(SIGPIPE);
  EXPECT_EQ(stop.signal(), 0);
  kill(getpid(), SIGUSR1);
  while (stop.signal() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(getpid(), SIGTERM);
  EXPECT_EQ(stop.signal(), SIGUSR1);
}

TEST(StopSignals, InterruptNoThreadThatComputes) {
  install_stop_signals();
  std::thread([] {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    for (const int signal : {SIGUSR1, SIGTERM, SIGINT}) {
      EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
    }
  }).join();
}

}  // namespace
}  // namespace epochcast::attempt
