// Stopping and going on, with the real program: the numbers must be those of a run that never
// stopped.
#include <gmock/gmock.h>

#include <ctime>

#include "tests/trainer/running.hpp"
#include "tests/trainer/trainer.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;

struct StopCase {
  const char* procedure;
  const char* when;  ///< What it has printed when the signals come.
  std::vector<int> signals;
  std::size_t least_steps;  ///< That it has done by then.
};
void PrintTo(const StopCase& c, std::ostream* out) {
  *out << c.procedure << ", " << c.when;
}

class StoppedTraining : public TrainerTest, public testing::WithParamInterface<StopCase> {};

TEST_P(StoppedTraining, SavesExits75AndContinuesWithTheSameNumbers) {
  const std::vector<std::string> more{std::string("--procedure=") + GetParam().procedure};
  ASSERT_EQ(train("p", "whole", 2, more).status, 0);
  std::filesystem::remove_all(folder / "work");

  Running running(words("p", 2, more), "first", folder / "log");
  ASSERT_TRUE(running.wait_for(GetParam().when)) << running.printed();
  for (const int signal : GetParam().signals) {
    running.send(signal);
  }
  ASSERT_EQ(running.wait(), 75) << running.printed();
  const auto first = record("p", "first");
  EXPECT_EQ(first.header.outcome.view(), "stopped");
  EXPECT_THAT(first.header.outcome_text.str(), HasSubstr("stopped by SIG"));
  EXPECT_GE(first.iterations.size(), GetParam().least_steps);

  auto resume = more;
  resume.emplace_back("--resume");
  const auto second_run = train("p", "second", 2, resume);
  ASSERT_EQ(second_run.status, 0) << second_run.err;
  const auto second = record("p", "second");
  EXPECT_EQ(second.header.outcome.view(), "complete");
  EXPECT_EQ(second.header.resumed_from.view(), "p-first.h5");
  EXPECT_EQ(first.iterations.size() + second.iterations.size(), 6u);
  auto losses = losses_of(first);
  losses.merge(losses_of(second));
  EXPECT_EQ(losses, losses_of(record("p", "whole")));
}

INSTANTIATE_TEST_SUITE_P(
    Signals, StoppedTraining,
    testing::Values(StopCase{"reference", "Processing batch: 1-1\n", {SIGUSR1}, 2},
                    StopCase{"reference", "Processing batch: 2-0\n", {SIGTERM, SIGTERM}, 4},
                    StopCase{"optimized", "epoch 1/2:", {SIGUSR1, SIGTERM}, 3}));

TEST_F(TrainerTest, StopsBeforeTheEpochThatDoesNotFitAndContinuesWithTheSameNumbers) {
  ASSERT_EQ(train("p", "whole", 2).status, 0);
  std::filesystem::remove_all(folder / "work");
  const auto stopped =
      process::run_command(words("p", 2, {"--near-limit=epoch"}), 300,
                           {{"EPOCHCAST_JOB_ID", "first"},
                            {"EPOCHCAST_ASKED", ""},
                            {"SLURM_JOB_END_TIME", std::to_string(std::time(nullptr))}});
  EXPECT_EQ(stopped.status, 75) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped before epoch 2 of 2: epoch 2 of 2 needs up to "));
  const auto first = record("p", "first");
  EXPECT_EQ(first.header.outcome.view(), "stopped");
  EXPECT_EQ(first.header.cause.view(), "before_limit");
  EXPECT_EQ(first.epochs.size(), 1u);

  ASSERT_EQ(train("p", "second", 2, {"--resume=true"}).status, 0);
  const auto second = record("p", "second");
  EXPECT_EQ(second.header.resumed_from.view(), "p-first.h5");
  EXPECT_EQ(second.epochs.size(), 1u);
  auto losses = losses_of(first);
  losses.merge(losses_of(second));
  EXPECT_EQ(losses, losses_of(record("p", "whole")));
}

TEST_F(TrainerTest, StoppedBeforeItsFirstStepStartsOver) {
  Running running(words("p", 1), "first", folder / "log");
  while (!std::filesystem::exists(record_path("p", "first"))) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  running.send(SIGUSR1);
  EXPECT_EQ(running.wait(), 75) << running.printed();
  EXPECT_EQ(record("p", "first").header.outcome.view(), "stopped");
  EXPECT_EQ(train("p", "second", 1, {"--resume=true"}).status, 0);
  EXPECT_EQ(record("p", "second").iterations.size(), 3u);
}

}  // namespace
}  // namespace epochcast
