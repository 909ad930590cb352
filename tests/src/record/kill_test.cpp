// The writer killed at random moments, also while it makes its file: every file opens or salvages,
// and every row whose flush had returned is there.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>
#include <random>

#include "src/base/core/clock.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"
#include "src/record/writer.hpp"
#include "tests/src/record/made_record.hpp"

namespace epochcast::record {
namespace {

/// Memory that both processes see: the count survives the kill of the one that counts.
class SharedCount {
 public:
  SharedCount()
      : value_(static_cast<std::atomic<std::int64_t>*>(mmap(
            nullptr, sizeof(*value_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
  }
  ~SharedCount() { munmap(value_, sizeof(*value_)); }
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;
  std::atomic<std::int64_t>& operator*() { return *value_; }

 private:
  std::atomic<std::int64_t>* value_;
};

/// Epoch after epoch of `steps` iterations; counts each epoch whose flush has returned.
[[noreturn]] void write_until_killed(const std::string& path, std::int64_t steps,
                                     std::atomic<std::int64_t>& confirmed,
                                     double pauses_a_flush = 0) {
  const SteadyClock clock;
  RecordWriter writer(path, made_record());
  for (std::int64_t epoch = 0;; ++epoch) {
    for (std::int64_t index = 0; index < steps; ++index) {
      writer.append(Iteration{.epoch = 1000 + epoch, .index = index});
    }
    writer.append(Epoch{.epoch = 1000 + epoch});
    writer.append(Metric{epoch, "loss", 0.5});
    const double flush_from_s = clock.now_s();
    writer.flush();
    confirmed = epoch + 1;
    usleep(static_cast<useconds_t>(1e6 * pauses_a_flush * (clock.now_s() - flush_from_s)));
  }
}

void expect_rows(const Record& record, std::int64_t confirmed, std::int64_t steps) {
  constexpr std::size_t made = 3;  // rows of made_record
  ASSERT_GE(record.epochs.size(), made + confirmed);
  ASSERT_GE(record.metrics.size(), made + confirmed);
  ASSERT_GE(record.iterations.size(), made + confirmed * steps);
  for (std::size_t i = made; i < record.epochs.size(); ++i) {
    ASSERT_EQ(record.epochs[i].epoch, static_cast<std::int64_t>(1000 + i - made));
  }
  for (std::size_t i = made; i < record.iterations.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i - made);
    ASSERT_EQ(record.iterations[i].epoch, 1000 + step / steps);
    ASSERT_EQ(record.iterations[i].index, step % steps);
  }
}

struct Tally {
  int opened = 0;
  int unnamed = 0;  ///< Killed before the file got its name; rebuilt from the lines.
  int torn = 0;     ///< Rebuilt from the lines and what the file still gave.
  int not_begun = 0;
  std::int64_t epochs = 0;
};

void check_after_kill(const std::string& path, std::int64_t confirmed, std::int64_t steps,
                      Tally& tally) {
  const auto lines = json_lines_path(path);
  if (confirmed == 0 && !std::filesystem::exists(path) &&
      bytes_of(lines).find('\n') == std::string::npos) {
    ++tally.not_begun;  // killed before the first line
    return;
  }
  const auto verdict = verify_record(path);
  const bool whole = verdict.readable && verdict.consistent;
  ++(whole ? tally.opened : std::filesystem::exists(path) ? tally.torn : tally.unnamed);
  const auto record = read_record(whole ? path : salvage_record(path));
  if (confirmed > 0 || verdict.readable) {
    expect_rows(record, confirmed, steps);
  }
  tally.epochs += confirmed;
}

/// A flush is some writes one after the other, between which the tables do not fit together.
TEST(LiveRecord, IsReadCompletelyBetweenItsWritersFlushes) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  SharedCount confirmed;
  const pid_t child = fork();
  if (child == 0) {
    write_until_killed(path, 3, *confirmed, /*pauses_a_flush=*/20);
  }
  while (*confirmed == 0) {
    usleep(1000);
  }
  std::string error;
  for (int read = 0; read < campaign_count(60, 200) && error.empty(); ++read) {
    try {
      const std::int64_t before = *confirmed;
      expect_rows(read_record(path), before, 3);
    } catch (const Error& failure) {
      error = failure.what();
    }
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(error, "") << "after " << *confirmed << " flushes";
}

TEST(Kill, LosesNoConfirmedRow) {
  std::mt19937 random(7);
  const auto between = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  Tally tally;
  for (int kill_number = 0; kill_number < campaign_count(20, 200); ++kill_number) {
    const TemporaryFolder folder;
    SharedCount confirmed;
    const auto steps = between(1, 300);
    const pid_t child = fork();
    if (child == 0) {
      write_until_killed(folder / "a.h5", steps, *confirmed);
    }
    // One kill in four falls into the making of the file, which takes some milliseconds; the
    // others fall after some epochs, however slow the machine is.
    if (kill_number % 4 != 0) {
      for (const auto epochs = between(0, 20); *confirmed < epochs;) {
        usleep(100);
      }
    }
    usleep(static_cast<useconds_t>(between(0, 8000)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    check_after_kill(folder / "a.h5", *confirmed, steps, tally);
    ASSERT_FALSE(HasFatalFailure()) << "kill " << kill_number;
  }
  std::cout << "opened " << tally.opened << ", salvaged before the file had its name "
            << tally.unnamed << ", salvaged from a torn file " << tally.torn
            << ", killed before the first line " << tally.not_begun << ", confirmed epochs "
            << tally.epochs << ", lost 0\n";
  EXPECT_GT(tally.epochs, 0);
}

}  // namespace
}  // namespace epochcast::record
