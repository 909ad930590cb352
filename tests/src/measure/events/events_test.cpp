// The header for programs of others, by the example of docs/howto/exact-times.md, which is compiled
// alone; what it does on signals, full disks and in children, by itself.
#include "src/measure/events/epochcast/events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "src/base/core/clock.hpp"
#include "src/measure/progress/sources/events.hpp"
#include "tests/files.hpp"
#include "tests/src/measure/progress/sources/shown.hpp"

namespace epochcast::events {
namespace {

using progress::sources::read_events;
using progress::sources::shown;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EventsHeader : public ::testing::Test {
 protected:
  EventsHeader() {
    for (const char* name : ranks) {
      unsetenv(name);
    }
    setenv("EPOCHCAST_EVENTS", path_.c_str(), 1);
    setenv("EPOCHCAST_STOP_FILE", stop_.c_str(), 1);
    detail::stop_requested = 0;
  }
  ~EventsHeader() override {
    unsetenv("EPOCHCAST_EVENTS");
    unsetenv("EPOCHCAST_STOP_FILE");
    for (const char* name : ranks) {
      unsetenv(name);
    }
  }

  std::vector<std::string> written() {
    auto texts = shown(read_events(path_).readings);
    for (auto& text : texts) {
      text.erase(0, text.find(' ') + 1);  // the time
    }
    return texts;
  }

  static constexpr const char* ranks[] = {"RANK", "SLURM_PROCID", "LOCAL_RANK"};
  TemporaryFolder folder_;
  std::string path_ = folder_ / "events.jsonl";
  std::string stop_ = folder_ / "stop";
};

TEST_F(EventsHeader, TheExampleOfTheDocumentsWritesItsEpochs) {
  ASSERT_EQ(std::system(EPOCHCAST_EVENTS_EXAMPLE), 0);
  const auto stored = read_events(path_);
  EXPECT_THAT(stored.remarks, IsEmpty());
  std::int64_t ends = 0;
  for (const auto& [reading, at_s] : stored.readings) {
    if (reading.ends_epoch) {
      EXPECT_EQ(reading.epoch, ends++);
      EXPECT_EQ(reading.step, 1000);
      ASSERT_EQ(reading.metrics.size(), 1U);
      EXPECT_EQ(reading.metrics[0].name, "loss");
    }
  }
  EXPECT_EQ(ends, 3);
  EXPECT_EQ(stored.readings.front().reading.epochs, 3);
  EXPECT_TRUE(stored.readings.back().reading.ends_run);
}

TEST_F(EventsHeader, WritesWhatItIsTold) {
  Training training(2);
  training.metric("before", 1);
  training.epoch_begin(0, 10);
  usleep(110'000);  // so that the step is written
  training.metric("a \"quoted\"\n name", std::nan(""));
  training.metric("loss", 3);
  training.metric("loss", 0.5);
  training.step();
  training.evaluate_begin();
  training.evaluate_end();
  training.epoch_end(640);
  training.end();
  EXPECT_THAT(written(),
              ElementsAre("begin 0 before=1", "0 step 1 a \"quoted\"\n name=nan loss=0.5",
                          "evaluate 0 step 0", "0", "end 0 step 1", "end of run 0"));
  EXPECT_EQ(read_events(path_).readings[4].reading.samples, 640);
}

TEST_F(EventsHeader, TimesAreThoseOfTheRecordsClock) {
  const SteadyClock clock;
  const auto zero = progress::sources::ClockZero::of(clock);
  const auto source = progress::sources::follow_events(path_, zero);
  const double before_s = clock.now_s();
  Training training;
  training.epoch_begin(0);
  const double after_s = clock.now_s();
  const auto readings = source->read(after_s);
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_GE(readings[0].at_s, before_s - 1e-4);
  EXPECT_LE(readings[0].at_s, after_s);
}

TEST_F(EventsHeader, OnlyRankZeroWrites) {
  setenv("SLURM_PROCID", "0", 1);
  setenv("LOCAL_RANK", "1", 1);
  Training().epoch_begin(0);
  EXPECT_FALSE(std::filesystem::exists(path_));
  setenv("RANK", "0", 1);
  Training().epoch_begin(0);
  EXPECT_THAT(written(), ElementsAre("begin 0"));
}

TEST_F(EventsHeader, AForkedWorkerDoesNotWrite) {
  Training training;
  if (const auto child = fork(); child == 0) {
    training.epoch_begin(7);
    _exit(0);
  } else {
    waitpid(child, nullptr, 0);
  }
  training.epoch_begin(1);
  EXPECT_THAT(written(), ElementsAre("begin 1"));
}

TEST_F(EventsHeader, AFullDiskGivesOneWarning) {
  setenv("EPOCHCAST_EVENTS", "/dev/full", 1);
  testing::internal::CaptureStderr();
  Training training;
  training.epoch_begin(0);
  training.epoch_end();
  const auto text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, AllOf(HasSubstr("/dev/full: No space left"), HasSubstr("record\n")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(EventsHeader, WithoutTheVariablesNothingHappens) {
  unsetenv("EPOCHCAST_EVENTS");
  unsetenv("EPOCHCAST_STOP_FILE");
  set_bytes(stop_, "");
  Training training(3);
  training.epoch_begin(0);
  training.step();
  EXPECT_FALSE(training.should_stop());
  EXPECT_FALSE(std::filesystem::exists(path_));
}

/// In a child, because a process gets the handler of a signal once. Whether `passes` returns true.
template <class Passes>
bool in_child(Passes&& passes) {
  const auto child = fork();
  if (child == 0) {
    _exit(passes() ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST_F(EventsHeader, ShouldStopSeesTheFile) {
  EXPECT_TRUE(in_child([&] {
    Training training;
    const bool before = training.should_stop();
    set_bytes(stop_, "");
    usleep(510'000);
    return !before && training.should_stop();
  }));
}

TEST_F(EventsHeader, ShouldStopBetweenTwoEpochsSeesThatTheNextWouldNotEndInTime) {
  EXPECT_TRUE(in_child([&] {
    set_bytes(stop_ + ".after_epoch", "");
    Training training;
    training.epoch_begin(0);
    const bool within = training.should_stop();
    training.epoch_end();
    return !within && training.should_stop();
  }));
}

volatile std::sig_atomic_t mine = 0;

TEST_F(EventsHeader, ShouldStopTakesTheSignalAndCallsTheHandlerBefore) {
  EXPECT_TRUE(in_child([] {
    signal(SIGUSR1, [](int) { mine = 1; });
    Training training;
    const bool before = training.should_stop();
    raise(SIGUSR1);
    return !before && training.should_stop() && mine == 1;
  }));
}

}  // namespace
}  // namespace epochcast::events
