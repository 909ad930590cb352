// Several ranks that train one model, with the real programs: one record, the same parameters, and
// an end within a minute whatever becomes of a rank.
#include "tests/trainer/ranks.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/base/core/host.hpp"
#include "src/training/ranks/line_socket.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::map<std::int64_t, std::int64_t> steps_by_rank(const record::Record& record) {
  std::map<std::int64_t, std::int64_t> steps;
  for (const auto& row : record.iterations) {
    ++steps[row.rank];
  }
  return steps;
}

class SeveralRanks : public RanksTest, public testing::WithParamInterface<int> {};

TEST_P(SeveralRanks, WriteOneRecordWithTheMachinesAndStepsOfAll) {
  const int ranks = GetParam();
  const auto run = train_on(ranks, "p", "job", 2);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto record = this->record("p", "job");
  EXPECT_EQ(record.header.outcome.view(), "complete");
  ASSERT_EQ(std::ssize(record.machines), ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(record.machines[std::size_t(rank)].rank, rank);
    EXPECT_EQ(steps_by_rank(record)[rank], 2 * 48 / 4 / ranks);
  }
  EXPECT_EQ(record.work.front().samples_per_epoch, 48);
  EXPECT_EQ(record.epochs.front().samples, 48);
  ASSERT_EQ(record.probes.size(), 4u);
  for (const auto& probe : record.probes) {
    EXPECT_EQ(probe.ranks, ranks);
    EXPECT_GT(probe.seconds, 0);
  }
  std::set<std::string> metrics;
  for (const auto& metric : record.metrics) {
    metrics.insert(metric.name.str());
  }
  EXPECT_THAT(metrics, testing::IsSupersetOf(
                           {"loss", "gradient_sync_wait_s", "slowest_rank", "slowest_rank_s"}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "records"), {}), 2)
      << "a record and its lines";
}

INSTANTIATE_TEST_SUITE_P(Sizes, SeveralRanks, testing::Values(2, 3, 4));

TEST_F(RanksTest, TrainAPairOfNetworksToo) {
  for (const auto* procedure : {"optimized", "reference"}) {
    const auto run = run_as_job(
        "job",
        ranks_words(2, procedure, 1,
                    {"--model=dcgan", "--model.width=4", "--model.latent=8", "--dataset.samples=8",
                     "--batch=2", std::string("--procedure=") + procedure}));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(record(procedure, "job").header.outcome.view(), "complete")
        << "and the checkpoint found all parameters equal";
  }
}

TEST_F(RanksTest, HaveEqualParametersAfterFiftySteps) {
  const auto run = train_on(3, "p", "job", 5, {"--dataset.samples=120", "--checkpoint-every=1"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(steps_by_rank(record("p", "job"))[2], 50);
}

TEST_F(RanksTest, StoppedTogetherContinueBitForBit) {
  const std::vector<std::string> last_only{"--checkpoint-every=100", "--dataset.samples=240"};
  ASSERT_EQ(train_on(2, "p", "whole", 100, last_only).status, 0);
  const auto whole = bytes_of(folder / "work/p/p-whole.checkpoint");
  ASSERT_FALSE(whole.empty());
  std::filesystem::remove_all(folder / "work");

  Running running(small_words(2, "p", 100, last_only), "first", folder / "log");
  ASSERT_TRUE(running.wait_for("epoch 1/100:")) << running.printed();
  running.send(SIGUSR1);
  ASSERT_EQ(running.wait(), 75) << running.printed();
  const auto first = record("p", "first");
  EXPECT_EQ(first.header.outcome_text.str().substr(0, 18), "stopped by SIGUSR1");
  EXPECT_EQ(steps_by_rank(first)[0], steps_by_rank(first)[1]);

  const auto second = train_on(
      2, "p", "second", 100, {"--checkpoint-every=100", "--dataset.samples=240", "--resume=true"});
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(record("p", "second").header.resumed_from.view(), "p-first.h5");
  EXPECT_EQ(bytes_of(folder / "work/p/p-second.checkpoint"), whole);
}

// A signal ends a program whose handlers are not installed yet.
TEST_F(RanksTest, StopWhereASignalEndedOneBeforeItConnected) {
  auto words = small_words(2, "p", 100);
  const std::vector<std::string> shell{"bash", "-c",
                                       R"([ "$RANK" = 0 ] || exec sleep 600; exec "$@")", "bash"};
  words.insert(std::ranges::find(words, "--") + 1, shell.begin(), shell.end());
  Running running(words, "job", folder / "log");
  const auto lines = folder / "records/p-job.jsonl";
  while (bytes_of(lines).empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  running.send(SIGUSR1);
  EXPECT_NE(running.wait(), 0);
  const auto header = record("p", "job").header;
  EXPECT_EQ(header.outcome.view(), "stopped") << running.printed();
  EXPECT_EQ(header.outcome_text.view(), "stopped by SIGUSR1 before rank 1 of 2 connected");
}

TEST_F(RanksTest, ContinueInAnotherNumberAndReportIt) {
  ASSERT_EQ(train_on(2, "p", "on2", 1).status, 0);
  ASSERT_EQ(train_on(3, "p", "on3", 2, {"--resume=true"}).status, 0);
  EXPECT_THAT(record("p", "on3").header.note.str(),
              HasSubstr("resumes with 3 ranks from a checkpoint of 2"));
  EXPECT_EQ(steps_by_rank(record("p", "on3"))[2], 4) << "the second epoch alone";
  ASSERT_EQ(train_on(1, "p", "on1", 3, {"--resume=true"}).status, 0);
  EXPECT_THAT(record("p", "on1").header.note.str(),
              HasSubstr("resumes with 1 rank from a checkpoint of 3"));
}

TEST_F(RanksTest, RefuseABatchThatNoRankCanFill) {
  const auto run = train_on(3, "p", "job", 1, {"--batch=17"});
  EXPECT_EQ(run.status, 2);
  const std::string text =
      "batch: found 17, expected at most the 16 samples of a rank (48 samples, 3 ranks)";
  EXPECT_THAT(run.err, HasSubstr(text));
  EXPECT_THAT(record("p", "job").header.outcome_text.str(), HasSubstr(text));
  EXPECT_EQ(record("p", "job").header.outcome.view(), "failed");
}

struct Mishap {
  int rank;
  int signal;
};
void PrintTo(const Mishap& mishap, std::ostream* out) {
  *out << "rank " << mishap.rank << " gets signal " << mishap.signal;
}

class LostRank : public RanksTest, public testing::WithParamInterface<Mishap> {};

/// At a moment that no two runs of the test have in common.
TEST_P(LostRank, EndsTheRunWithOneLineAndAFailedRecord) {
  const auto [rank, signal] = GetParam();
  Running running(small_words(3, "p", 1'000'000, {"--checkpoint-every=1000"}), "job",
                  folder / "log");
  ASSERT_TRUE(running.wait_for("epoch 2/")) << running.printed();
  std::this_thread::sleep_for(std::chrono::microseconds(std::random_device()() % 200'000));
  const auto processes = processes_of_ranks(running.pid());
  ASSERT_EQ(processes.size(), 3u);
  kill(processes.at(rank), signal);
  const SteadyClock clock;
  const double killed_at_s = clock.now_s();
  EXPECT_NE(running.wait(), 0);
  fmt::print("ended {:.1f} s after the signal\n", clock.now_s() - killed_at_s);
  const auto printed = running.printed();
  const auto text = record("p", "job").header.outcome_text.str();
  EXPECT_EQ(record("p", "job").header.outcome.view(), "failed") << printed;
  EXPECT_THAT(text, HasSubstr("rank " + std::to_string(rank) + " on " + host_name()));
  EXPECT_THAT(text, HasSubstr(signal == SIGKILL ? "is gone" : "sent no heartbeat"));
  const auto line = printed.find("epochcast-train: error: ");
  EXPECT_EQ(line, printed.rfind("epochcast-train: error: ")) << "one line, not one a rank:\n"
                                                             << printed;
  EXPECT_THAT(printed, HasSubstr("epochcast-train: error: " + text));
  for (const auto& [other, process] : processes) {
    EXPECT_NE(kill(process, 0), 0) << "rank " << other << " is still there";
  }
}

using SlowStuckRank = RanksTest;

/// A pipe that this process has open, in the place of a file of texts.
class Texts {
 public:
  Texts(const std::filesystem::path& pipe, const std::filesystem::path& link) : pipe_(pipe) {
    mkfifo(pipe.c_str(), 0600);
    file_ = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
    std::filesystem::create_symlink(fmt::format("/proc/{}/fd/{}", getpid(), file_), link);
  }
  ~Texts() { close(file_); }
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;

  /// Waits until the rank reads; false if it does not.
  bool are_read_by(pid_t launcher, int rank) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(3);
    while (std::chrono::steady_clock::now() < until) {
      const auto processes = processes_of_ranks(launcher);
      const auto process = processes.find(rank);
      std::error_code gone;
      const auto files = process == processes.end()
                             ? std::filesystem::directory_iterator()
                             : std::filesystem::directory_iterator(
                                   fmt::format("/proc/{}/fd", process->second), gone);
      for (const auto& file : files) {
        if (std::filesystem::read_symlink(file.path(), gone) == pipe_) {
          return true;
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  void write_and_close(std::string_view text) {
    EXPECT_EQ(write(file_, text.data(), text.size()), std::ssize(text));
    close(std::exchange(file_, -1));
  }

 private:
  std::filesystem::path pipe_;
  int file_ = -1;
};

/// Rank 0 waits for data that never come while another rank is killed: it is ended, and a third
/// says why and closes the record.
TEST_F(SlowStuckRank, IsEndedAndAnotherClosesTheRecord) {
  std::deque<Texts> texts;
  for (int rank = 0; rank < 3; ++rank) {
    const auto own = folder / fmt::format("rank{}", rank);
    std::filesystem::create_directories(own);
    texts.emplace_back(own / "pipe", own / "t.csv");
  }
  Running running(ranks_apart_words(3, "p",
                                    {"--model=tinybert", "--model.layers=1", "--dataset=text_csv",
                                     "--dataset.samples=", "--dataset.path=t.csv",
                                     "--dataset.vocabulary=share:texts/vocab.txt"}),
                  "job", folder / "log");
  for (const int rank : {1, 2}) {
    ASSERT_TRUE(texts[rank].are_read_by(running.pid(), rank)) << running.printed();
    texts[rank].write_and_close("text,label\nfilm,0\nfilm,1\n");
  }
  kill(processes_of_ranks(running.pid()).at(2), SIGKILL);
  EXPECT_NE(running.wait(), 0);
  const auto printed = running.printed();
  const auto header = record("p", "job").header;
  EXPECT_EQ(header.outcome.view(), "failed") << printed;
  EXPECT_THAT(header.outcome_text.str(), HasSubstr("rank 2 on "));
  const auto line = printed.find("epochcast-train: error: ");
  EXPECT_NE(line, std::string::npos);
  EXPECT_EQ(line, printed.rfind("epochcast-train: error: ")) << printed;
}

INSTANTIATE_TEST_SUITE_P(Killed, LostRank,
                         testing::Values(Mishap{0, SIGKILL}, Mishap{1, SIGKILL},
                                         Mishap{2, SIGKILL}));
INSTANTIATE_TEST_SUITE_P(SlowStopped, LostRank,
                         testing::Values(Mishap{0, SIGSTOP}, Mishap{1, SIGSTOP},
                                         Mishap{2, SIGSTOP}));

}  // namespace
}  // namespace epochcast
