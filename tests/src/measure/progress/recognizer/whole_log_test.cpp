// What the lines of a log leave open is neither made up nor lost: stamps in whole seconds, lines
// between stamps, durations that contradict each other.
#include "src/measure/progress/recognizer/whole_log.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::progress {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

std::vector<double> walls(const WholeLog& log) {
  std::vector<double> found;
  for (const auto& epoch : log.rows.epochs) {
    found.push_back(epoch.wall_s);
  }
  return found;
}

std::string stamped(double at_s, const std::string& words) {
  const int now_s = static_cast<int>(at_s);
  return fmt::format("2026-02-03 08:{:02d}:{:02d} {}\n", now_s / 60, now_s % 60, words);
}

/// Epochs of 20 steps of 0.06 s: the first two of them have stamps a second apart.
TEST(WholeLog, StampsOfWholeSecondsLeadBackFromManySteps) {
  std::string log;
  for (int step = 1; step <= 60; ++step) {
    log += stamped(10.89 + 0.06 * step, fmt::format("epoch {} step {}/20 loss 0.5", (step - 1) / 20,
                                                    (step - 1) % 20 + 1));
  }
  EXPECT_THAT(walls(read_whole_log(log)).at(0), DoubleNear(20 * 0.06, 1.25));
}

/// 200 steps of 0.03 s, of which every 20th is drawn.
TEST(WholeLog, StepsOfOneTimeShareWhatPassesUntilTheNext) {
  std::string log = "  Total optimization steps = 200\n";
  for (int step = 0; step <= 200; step += 20) {
    log += fmt::format("\rSteps: {:3d}%|##        | {}/200 [00:{:02d}<00:05, 33.33it/s, loss=0.5]",
                       step / 2, step, static_cast<int>(0.03 * step));
  }
  const auto steps = read_whole_log(log + "\n").rows.iterations;
  EXPECT_THAT(steps, testing::SizeIs(10));
  EXPECT_THAT(steps, Each(Field(&record::Iteration::step_s, DoubleNear(0.03, 0.025))));
}

/// The bars state the time of each epoch (8 s) and its evaluation (3 s); the stamps, the sum.
TEST(WholeLog, BarsBetweenStampsStateTheirTimes) {
  std::string log = "[    0.670] Start training\n";
  for (int epoch = 1; epoch <= 4; ++epoch) {
    for (int step = 0; step <= 4; ++step) {
      log += fmt::format("\rEpoch {}: {}%|##  | {}/4 [00:{:02d}<00:05,  2.00s/it, loss=0.5]", epoch,
                         25 * step, step, epoch % 2 == 0 && step == 4 ? 7 : 2 * step);
    }
    log +=
        "\n\rTest:   0%|    | 0/3 [00:00<?, ?it/s]\rTest: 100%|####| 3/3 [00:03<00:00,  1.0it/s]";
    log += fmt::format("\n[{:9.3f}] Epoch {}: val_loss 0.5\n", 0.67 + 11.01 * epoch, epoch);
  }
  const auto near = [](double wall_s) { return DoubleNear(wall_s, 0.1); };
  const auto read = read_whole_log(log);
  EXPECT_THAT(walls(read), ElementsAre(near(8), near(7), near(8), near(7)));
  EXPECT_THAT(read.rows.epochs, Each(Field(&record::Epoch::evaluate_s, DoubleNear(3, 1.1))));
}

/// A warning without a stamp was printed before the pause, or after it.
TEST(WholeLog, ALineBetweenStampsEndsNoSilence) {
  std::string log = stamped(0, "training on cuda:0");
  for (int epoch = 1; epoch <= 3; ++epoch) {
    log += stamped(20 * epoch, fmt::format("Epoch {}/6 loss 0.5", epoch));
  }
  log += "    warnings.warn(\n" + stamped(1800, "Loading data ...") +
         stamped(1801, "=> loaded checkpoint 'last.pt' (epoch 3)");
  for (int epoch = 4; epoch <= 6; ++epoch) {
    log += stamped(1740 + 20 * epoch, fmt::format("Epoch {}/6 loss 0.5", epoch));
  }
  EXPECT_THAT(walls(read_whole_log(log)), ElementsAre(20, 20, 20, 20, 20, 20));
}

/// 4 ms a sample is anything from 3.5 ms to 4.5 ms.
TEST(WholeLog, KerasTimeASampleIsNoLongerThanItsSeconds) {
  std::string log = "Train on 2560 samples\n";
  for (int epoch = 1; epoch <= 3; ++epoch) {
    log += fmt::format(
        "Epoch {}/3\n2560/2560 [==============================] - 9s 4ms/sample - loss: 0.5\n",
        epoch);
  }
  const auto near = DoubleNear(9, 1);
  EXPECT_THAT(walls(read_whole_log(log)), ElementsAre(near, near, near));
}

TEST(WholeLog, TwoDurationsOfAnEpochDisagree) {
  const auto log = read_whole_log("Epoch 2/9 took 10 s\nEpoch 2/9 took 11 s\nEpoch 5/9 took 9 s\n");
  EXPECT_THAT(log.rows.epochs, testing::IsEmpty());
  EXPECT_THAT(log.note, HasSubstr("'Epoch 2/9 took 10 s' and 'Epoch 2/9 took 11 s'"));
  EXPECT_THAT(walls(read_whole_log("Epoch 1/2 took 10 s\nEpoch 1/2 took 10 s\n"
                                   "Epoch 2/2 took 9 s\nEpoch 2/2 took 9 s\n")),
              ElementsAre(10, 9));
}

}  // namespace
}  // namespace epochcast::progress
