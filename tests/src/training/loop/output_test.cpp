// What a training prints: progress for people, the lab's log for comparison.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "src/base/core/text.hpp"
#include "src/measure/progress/reading/lab_log_line.hpp"
#include "src/training/loop/progress.hpp"
#include "src/training/loop/published_log.hpp"
#include "tests/fakes.hpp"
#include "tests/files.hpp"

namespace epochcast::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Plays a training of `epochs` epochs of `steps` steps of 1 s to an observer.
void play(Observer& observer, FakeClock& clock, std::int64_t epochs, std::int64_t steps) {
  const record::Work work{
      .parameter_count = 7, .samples_per_epoch = 4 * steps, .iterations_per_epoch = steps};
  forecast::ObservedRun run(work);
  observer.opened({"2 files skipped"});
  observer.training_begins(work, {}, run);
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    observer.epoch_begins(epoch);
    for (std::int64_t step = 0; step < steps; ++step) {
      observer.step_begins({epoch, step});
      clock.time_s += 1;
      const record::Iteration row{
          .epoch = epoch, .index = step, .wait_s = 0.25, .step_s = 0.75, .samples = 4};
      run.add(row);
      observer.step_ends(row, {{"loss_d", 0.63749}, {"loss_g", 1.3}});
    }
    const record::Epoch row{.epoch = epoch, .wall_s = static_cast<double>(steps)};
    run.add(row);
    observer.epoch_ends(row, {{"loss_d", 0.637}});
  }
  observer.training_ends();
}

TEST(Progress, InALogIsAFewPlainLines) {
  std::ostringstream out;
  FakeClock clock;
  const run::RunConfig config{.epochs = 2};
  Progress progress(out, ProgressStyle::lines, config, clock);
  play(progress, clock, 2, 100);
  EXPECT_EQ(out.str(),
            "note: 2 files skipped\n"
            "400 samples, 100 steps per epoch, 7 parameters; starting at epoch 1 of 2\n"
            "epoch 1/2, step 30/100; 2m50s left\n"
            "epoch 1/2, step 60/100; 2m20s left\n"
            "epoch 1/2, step 90/100; 1m50s left\n"
            "epoch 1/2: 100.00 s, loss_d 0.637; 1m40s left\n"
            "epoch 2/2, step 30/100; 1m10s left\n"
            "epoch 2/2, step 60/100; 40s left\n"
            "epoch 2/2, step 90/100; 10s left\n"
            "epoch 2/2: 100.00 s, loss_d 0.637\n");
}

TEST(Progress, CountsWhatALimitLeaves) {
  std::ostringstream out;
  FakeClock clock;
  const run::RunConfig config{.epochs = 100, .max_iterations = 130};
  Progress progress(out, ProgressStyle::lines, config, clock);
  play(progress, clock, 1, 100);
  EXPECT_THAT(out.str(), HasSubstr("loss_d 0.637; 30s left"));
}

TEST(Progress, OnATerminalIsABar) {
  std::ostringstream out;
  FakeClock clock;
  const run::RunConfig config{.epochs = 1};
  Progress progress(out, ProgressStyle::bar, config, clock);
  play(progress, clock, 1, 20);
  EXPECT_THAT(out.str(),
              HasSubstr("\r\033[K[===============               ] epoch 1/1, step 10/20"));
  EXPECT_THAT(out.str(), HasSubstr("\r\033[Kepoch 1/1: 20.00 s, loss_d 0.637\n"));
}

TEST(Progress, ShowsNoTimeBeforeOneIsKnown) {
  std::ostringstream out;
  FakeClock clock;
  const run::RunConfig config{.epochs = 2};
  Progress progress(out, ProgressStyle::lines, config, clock);
  forecast::ObservedRun run({.iterations_per_epoch = 9});
  progress.training_begins({.iterations_per_epoch = 9}, {}, run);
  for (std::int64_t step = 0; step < 9; ++step) {
    clock.time_s += 40;
    run.add(record::Iteration{.index = step, .step_s = 40});
    progress.step_ends({.index = step, .step_s = 40}, {});
  }
  EXPECT_THAT(out.str(), AllOf(HasSubstr("step 9/9"), Not(HasSubstr("left"))));
  run.add(record::Epoch{.wall_s = 360});
  progress.epoch_ends({.wall_s = 360}, {});
  EXPECT_THAT(out.str(), HasSubstr("; 6m left")) << "one epoch is enough";
}

TEST(Progress, IsARangeWhereStepsDifferMuch) {
  std::ostringstream out;
  FakeClock clock;
  const run::RunConfig config{.epochs = 1000};
  Progress progress(out, ProgressStyle::lines, config, clock);
  forecast::ObservedRun run({.iterations_per_epoch = 5000});
  progress.training_begins({.iterations_per_epoch = 5000}, {}, run);
  std::int64_t index = 0;
  for (const double seconds : {1, 2, 1, 5, 1, 1, 9, 1, 1, 1, 4, 1}) {
    clock.time_s += 30;
    run.add(record::Iteration{.index = index, .step_s = seconds});
    progress.step_ends({.index = index++, .step_s = seconds}, {});
  }
  EXPECT_TRUE(std::regex_search(
      out.str(), std::regex("epoch 1/1000, step 12/5000; [0-9hms]+ to [0-9hms]+ left")))
      << out.str();
}

TEST(Progress, NotesAndMetricsDriveNoTerminal) {
  std::ostringstream out;
  const FakeClock clock;
  const run::RunConfig config{.epochs = 1};
  Progress progress(out, ProgressStyle::lines, config, clock);
  progress.opened({"data in \x1b]0;owned\x07\nsecond line"});
  progress.epoch_ends({.epoch = 0, .wall_s = 1}, {{"\x1b[2Jloss", 0.5}});
  EXPECT_THAT(out.str(), HasSubstr("note: data in \\x1b]0;owned\\x07\\nsecond line\n"));
  EXPECT_THAT(out.str(), HasSubstr("1.00 s, \\x1b[2Jloss 0.5"));
  EXPECT_THAT(out.str(), Not(HasSubstr("\x1b")));
}

TEST(Progress, BesideAPublishedLogIsMarked) {
  std::ostringstream out;
  FakeClock clock;
  const run::RunConfig config{.epochs = 1};
  Progress progress(out, ProgressStyle::lines, config, clock, "epochcast: ");
  play(progress, clock, 1, 40);
  progress.evaluated({0, 3}, {{"val_loss", 1}});
  for (const auto& line : split(out.str(), '\n')) {
    EXPECT_TRUE(line.empty() || line.starts_with("epochcast: ")) << line;
    EXPECT_TRUE(progress::lab_log::parse(line, true)) << line;
  }
}

/// The lab measured training and pictures; it saved no checkpoint.
TEST(PublishedLog, OfTheDcganCountsNoCheckpoint) {
  std::ostringstream out;
  FakeClock clock;
  const run::RunConfig config{.epochs = 2};
  const auto log = published_log(
      {.out = out, .config = config, .input = {3, 64, 64}, .clock = clock, .folder = {}});
  log->training_begins({}, {}, {});
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    log->epoch_begins(epoch);
    clock.time_s += 10 + 0.5 + 3;
    log->epoch_ends({.epoch = epoch, .wall_s = 10, .evaluate_s = 0.5, .checkpoint_s = 3}, {});
  }
  log->training_ends();
  EXPECT_THAT(out.str(), HasSubstr("10.5 sec/epoch on cpu\n"));
  EXPECT_THAT(out.str(), HasSubstr("Total training time: 21.0 seconds\n"));
}

TEST(PublishedLog, OfTheDcganIsLetterForLetterThatOfTheLab) {
  std::ostringstream out;
  FakeClock clock;
  const run::RunConfig config{.epochs = 2, .device = "cuda"};
  const auto log = published_log(
      {.out = out, .config = config, .input = {3, 64, 64}, .clock = clock, .folder = {}});
  EXPECT_TRUE(log->wants_losses());
  play(*log, clock, 2, 2);
  const auto text = std::regex_replace(
      out.str(), std::regex(" at: [A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} local"),
      " at: STAMP");
  EXPECT_EQ(text,
            "Device: cuda:0\n"
            "net_G(x).shape: torch.Size([1, 3, 64, 64])\n"
            "Epoch: 1\n"
            "Processing batch: 1-0\n"
            "loss_D 0.637, loss_G 1.300, 4.0 examples/sec on cuda:0 (4.0 examples in 1.0 seconds "
            "during this epoch)\n"
            "Processing batch: 1-1\n"
            "loss_D 0.637, loss_G 1.300, 4.0 examples/sec on cuda:0 (8.0 examples in 2.0 seconds "
            "during this epoch)\n"
            "Epoch: 2\n"
            "Processing batch: 2-0\n"
            "loss_D 0.637, loss_G 1.300, 4.0 examples/sec on cuda:0 (4.0 examples in 1.0 seconds "
            "during this epoch)\n"
            "Processing batch: 2-1\n"
            "loss_D 0.637, loss_G 1.300, 4.0 examples/sec on cuda:0 (8.0 examples in 2.0 seconds "
            "during this epoch)\n"
            "loss_D 0.637, loss_G 1.300, 2.0 sec/epoch on cuda:0\n"
            "Num epochs: 2\n"
            "Total training time: 4.0 seconds\n"
            "Started at: STAMP\n"
            "Ended at: STAMP\n");
}

TEST(PublishedLog, OfTheDepthSweepHasALineAnEpoch) {
  std::ostringstream out;
  FakeClock clock;
  const run::RunConfig config{.model = "mlp", .epochs = 100};
  const auto log =
      published_log({.out = out, .config = config, .input = {2}, .clock = clock, .folder = {}});
  EXPECT_FALSE(log->wants_losses()) << "the published loop waited for the device once an epoch";
  log->epoch_ends({.epoch = 0, .iterations = 10}, {{"loss", 0.37125}, {"accuracy", 0.8748}});
  log->epoch_ends({.epoch = 99, .iterations = 10}, {{"loss", 0.00004}, {"accuracy", 1}});
  EXPECT_EQ(out.str(),
            "Epoch  0: Train Loss   3.71, Train Error: 12.52%\n"
            "Epoch 99: Train Loss   0.00, Train Error:  0.00%\n");
}

class ScalingLogTest : public testing::Test {
 protected:
  std::string print(const Position& from, std::int64_t epoch, double wall_s) {
    std::ostringstream out;
    const FakeClock clock;
    const auto log = published_log({.out = out,
                                    .config = config,
                                    .input = {1, 28, 28},
                                    .clock = clock,
                                    .folder = folder.path(),
                                    .processes = 2});
    log->training_begins({}, from, {});
    log->epoch_ends(
        {.epoch = epoch, .wall_s = wall_s, .samples = 60},
        {{"loss", 0.5}, {"accuracy", 0.75}, {"val_loss", 0.4567}, {"val_accuracy", 0.85}});
    log->target_reached(epoch);
    return out.str();
  }

  const TemporaryFolder folder;
  const run::RunConfig config{
      .model = "wide_resnet",
      .batch = 16,
      .warmup_epochs = 5,
      .optimizer_options = {{"learning_rate", "0.01"}, {"momentum", "0.9"}}};
};

TEST_F(ScalingLogTest, HasTheStudysLinesAndFile) {
  EXPECT_EQ(print({}, 0, 12),
            "Epoch =  1: Cumulative Time = 12.000, Epoch Time = 12.000, Images/sec = 5, Training "
            "Accuracy = 0.750, "
            "Validation Loss = 0.457, Validation Accuracy = 0.850\nEarly stopping after epoch 1\n");
  const auto csv = folder / "training_data/2ranks-16bs-0.01lr-0.9m-5w.csv";
  EXPECT_EQ(bytes_of(csv), "time,val_accuracy\n0.0,0.0\n12.0,0.8500\n");
  EXPECT_THAT(print({1, 0}, 1, 8),
              HasSubstr("Epoch =  2: Cumulative Time = 20.000, Epoch Time = 8.000"))
      << "a run that goes on adds to the time of its first attempt";
  EXPECT_EQ(bytes_of(csv), "time,val_accuracy\n0.0,0.0\n12.0,0.8500\n20.0,0.8500\n");
}

/// Batches of 4, 4 and 2 samples, two an update, whose means of the loss are 1, 2 and 4.
void play_uneven(Observer& log, FakeClock& clock, std::int64_t first) {
  const std::vector<double> means{1, 2, 4};
  double sum = 0;
  std::int64_t seen = 0;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t samples = step == 2 ? 2 : 4;
    sum += means[static_cast<std::size_t>(step)] * static_cast<double>(samples);
    seen += samples;
    if (step >= first) {
      clock.time_s += 1;
      log.step_ends({.index = step, .samples = samples},
                    {{"loss", sum / static_cast<double>(seen)}});
    }
  }
}

std::string trainer_line(const Position& from) {
  std::ostringstream out;
  FakeClock clock;
  const run::RunConfig config{.model = "distilbert", .batch = 4, .accumulate = 2};
  const auto log = published_log({.out = out,
                                  .config = config,
                                  .input = {},
                                  .clock = clock,
                                  .folder = {},
                                  .processes = 2,
                                  .program = "trainer"});
  log->training_begins({.samples_per_epoch = 20, .iterations_per_epoch = 3}, from, {});
  log->epoch_begins(0);
  play_uneven(*log, clock, from.iteration);
  clock.time_s += 0.25;  // evaluation
  log->epoch_ends({.epoch = 0}, {});
  log->training_ends();
  return out.str();
}

TEST(PublishedLog, OfTheFineTuningStudiesIsTrainersLastLine) {
  EXPECT_EQ(trainer_line({}),
            "{'train_runtime': 3.25, 'train_samples_per_second': 6.154, "
            "'train_steps_per_second': 0.615, 'train_loss': 2.75, 'epoch': 1.0}\n")
      << "updates have the losses (1 + 2) / 2 and 4";
  EXPECT_EQ(trainer_line({0, 1}),
            "{'train_runtime': 2.25, 'train_samples_per_second': 5.333, "
            "'train_steps_per_second': 0.889, 'train_loss': 4.0, 'epoch': 1.0}\n")
      << "the loss of the first batch after a resume within an epoch is not known";
}

TEST(PublishedLog, OfTheFineTuningStudiesIsEmptyWhereNothingRemained) {
  std::ostringstream out;
  FakeClock clock;
  const run::RunConfig config{.model = "distilbert", .batch = 4};
  const auto log = published_log({.out = out,
                                  .config = config,
                                  .input = {},
                                  .clock = clock,
                                  .folder = {},
                                  .program = "trainer"});
  log->training_begins({.samples_per_epoch = 20, .iterations_per_epoch = 3}, {1, 0}, {});
  log->training_ends();
  EXPECT_EQ(out.str(), "");
}

TEST(PublishedLog, IsEmptyWhereNoneWasPublished) {
  std::ostringstream out;
  const run::RunConfig config{.model = "none"};
  EXPECT_EQ(published_log(
                {.out = out, .config = config, .input = {}, .clock = FakeClock(), .folder = {}}),
            nullptr);
}

}  // namespace
}  // namespace epochcast::train
