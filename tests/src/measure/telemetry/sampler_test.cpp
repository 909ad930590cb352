#include "src/measure/telemetry/sampler.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

#include "src/base/core/clock.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "tests/files.hpp"

namespace epochcast::telemetry {
namespace {

void wait_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

double cpu_used_s() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::vector<Sample> sampled_during(double period_s, const std::function<void()>& action) {
  Sampler sampler({.cpus = process::allowed_cpus()}, period_s);
  action();
  sampler.sample_now(0);
  sampler.stop();
  return sampler.take();
}

TEST(Sampler, CoversTheTimeWithoutGaps) {
  const double start_s = SteadyClock().now_s();
  const auto samples = sampled_during(0.1, [] { wait_s(0.65); });
  ASSERT_GE(samples.size(), 2u);
  double at_s = samples.front().machine.end_s - samples.front().machine.duration_s;
  EXPECT_GE(at_s, start_s);
  for (const auto& sample : samples) {
    EXPECT_NEAR(sample.machine.end_s - sample.machine.duration_s, at_s, 1e-9);
    at_s = sample.machine.end_s;
  }
  EXPECT_GE(at_s, start_s + 0.65);
}

TEST(Sampler, SeesTheCpuTimeOfItsProcess) {
  double used_s = 0;
  const auto samples = sampled_during(0.1, [&] {
    const double before_s = cpu_used_s();
    while (cpu_used_s() - before_s < 0.4) {
    }
    used_s = cpu_used_s() - before_s;
  });
  double own_s = 0;
  double busy_s = 0;
  for (const auto& sample : samples) {
    own_s += sample.machine.own_cpu_s;
    busy_s += sample.machine.cpus_busy_s;
    EXPECT_EQ(sample.machine.stopped_s, 0);
  }
  EXPECT_NEAR(own_s, used_s, 0.05);  // two counters in ticks, and the samples themselves
  EXPECT_GE(busy_s, 0.3);            // the kernel counts it on some CPU that we may use
}

TEST(Sampler, TakesASampleOnlyIfTheLastIsOldEnough) {
  Sampler sampler({.cpus = {0}}, 60);
  sampler.sample_now(10);
  EXPECT_TRUE(sampler.take().empty());
  sampler.sample_now(0);
  EXPECT_EQ(sampler.take().size(), 1u);
  EXPECT_TRUE(sampler.take().empty());
}

TEST(Sampler, EndsAtOnce) {
  const SteadyClock clock;
  const double start_s = clock.now_s();
  { Sampler sampler({.cpus = {0}}, 600); }
  EXPECT_LT(clock.now_s() - start_s, 60);
}

TEST(Sampler, CallsBackInItsThread) {
  std::size_t taken = 0;
  std::thread::id caller;
  Sampler sampler({.cpus = {0}}, 0.02, [&](Sampler& self) {
    caller = std::this_thread::get_id();
    taken += self.take().size();
  });
  wait_s(0.3);
  sampler.stop();
  EXPECT_GE(taken, 1u);
  EXPECT_NE(caller, std::this_thread::get_id());
}

/// Runs a process that samples itself for 2 s while it works, and lets `disturb` see its number.
/// Returns the seconds for which it says that it was stopped.
double stopped_of_child(const std::function<void(pid_t)>& disturb) {
  const TemporaryFolder folder;
  const auto answer = folder / "stopped";
  const pid_t child = fork();
  if (child == 0) {
    double stopped_s = 0;
    for (const auto& sample : sampled_during(0.2, [] {
           const double start_s = SteadyClock().now_s();
           while (SteadyClock().now_s() - start_s < 2) {
           }
         })) {
      stopped_s += sample.machine.stopped_s;
    }
    std::ofstream(answer) << stopped_s;
    _exit(0);
  }
  disturb(child);
  waitpid(child, nullptr, 0);
  double stopped_s = -1;
  std::ifstream(answer) >> stopped_s;
  return stopped_s;
}

TEST(Sampler, NoticesThatItsProcessWasStopped) {
  const double stopped_s = stopped_of_child([](pid_t child) {
    wait_s(0.5);
    kill(child, SIGSTOP);
    wait_s(1);
    kill(child, SIGCONT);
  });
  EXPECT_GE(stopped_s, 0.85);
}

TEST(Sampler, DoesNotCallAProcessStoppedThatWaitsForCpus) {
  const auto hog = [] {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) {
      }
    }
    return child;
  };
  const std::vector<pid_t> hogs{hog(), hog(), hog(), hog()};
  const double stopped_s = stopped_of_child([](pid_t) {});
  for (const pid_t child : hogs) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  EXPECT_EQ(stopped_s, 0);
}

}  // namespace
}  // namespace epochcast::telemetry
