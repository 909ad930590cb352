// Attempts at training a fake workload, and their records.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/measure/attempt/start.hpp"
#include "src/record/reader.hpp"
#include "src/training/loop/attempt.hpp"
#include "tests/fakes.hpp"

namespace epochcast::train {

/// Gives the attempt a workload that the test keeps.
class Borrowed : public Workload {
 public:
  explicit Borrowed(Workload& workload) : w_(workload) {}
  record::Work describe() const override { return w_.describe(); }
  WorkloadParts parts() override { return w_.parts(); }
  void start_epoch(std::int64_t epoch) override { w_.start_epoch(epoch); }
  Batch load_batch() override { return w_.load_batch(); }
  void step() override { w_.step(); }
  void synchronize() override { w_.synchronize(); }
  std::vector<DeviceTime> take_device_times() override { return w_.take_device_times(); }
  double take_kernel_choice_s() override { return w_.take_kernel_choice_s(); }
  Metrics losses() override { return w_.losses(); }
  std::vector<std::string> notes() const override { return w_.notes(); }

 private:
  Workload& w_;
};

/// A point in a folder of its own; every run is a new job with a new workload.
class AttemptTest : public testing::Test {
 protected:
  AttemptTest() {
    output.point = "fake";
    output.records = folder / "records";
    output.work = folder / "work";
    config.epochs = 2;
  }
  ~AttemptTest() override { std::filesystem::remove_all(folder); }

  /// Runs job `id` and reads its record, also if it failed.
  record::Record run(const std::string& id) {
    clock = {};
    workload.emplace(clock);
    arrange(*workload);
    error.clear();
    Attempt attempt{.config = config,
                    .output = output,
                    .start = {},
                    .make_workload = [&](Team&) { return std::make_unique<Borrowed>(*workload); },
                    .observers = observers,
                    .job = job};
    attempt.start.header.point = output.point;
    attempt.start.header.job_id = id;
    const attempt::StopFlag* flag = &stop.emplace();
    try {
      status = run_attempt(attempt, clock, *flag);
    } catch (const Error& thrown) {
      status = thrown.status();
      error = thrown.what();
    }
    return record::read_record(attempt::record_path(output, attempt.start.header));
  }

  void stop_at_call(std::size_t call) {
    arrange = [this, call](FakeWorkload& fake) {
      fake.before_call = [this, call](std::size_t now) {
        if (now == call) {
          stop->request(SIGUSR1);
        }
      };
    };
  }

  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      ("attempt." + std::to_string(getpid()) + "." +
       testing::UnitTest::GetInstance()->current_test_info()->name());
  run::RunConfig config;
  run::RunOutput output;
  FakeClock clock;
  std::optional<FakeWorkload> workload;
  std::optional<attempt::StopFlag> stop;
  std::vector<Observer*> observers;
  attempt::JobLimit job;
  std::function<void(FakeWorkload&)> arrange = [](FakeWorkload&) {};
  int status = -1;
  std::string error;
};

/// (epoch, iteration) of every step.
inline std::vector<std::pair<std::int64_t, std::int64_t>> steps_of(const record::Record& record) {
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  for (const auto& row : record.iterations) {
    steps.emplace_back(row.epoch, row.index);
  }
  return steps;
}

}  // namespace epochcast::train
