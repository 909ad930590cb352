// Lines as the scripts of pytorch/examples, nanoGPT and trainers of language models print them; the
// times are made up.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "src/measure/progress/recognizer/recognizer.hpp"

namespace epochcast::progress {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Reads lines that come at stated times.
class Program {
 public:
  void prints(double at_s, const std::string& line) {
    now_s_ = at_s;
    recognizer_.read(Stream::out, line + "\n", at_s);
    recognizer_.tick(at_s);
  }
  Rows ends() {
    recognizer_.finish(now_s_ + 5);
    return recognizer_.take();
  }
  std::string source() const { return recognizer_.source(); }

 private:
  Recognizer recognizer_{RecognizerOptions{}};
  double now_s_ = 0;
};

std::vector<double> walls(const Rows& rows) {
  std::vector<double> found;
  for (const auto& epoch : rows.epochs) {
    found.push_back(epoch.wall_s);
  }
  return found;
}

std::map<std::string, std::vector<double>> metrics(const Rows& rows) {
  std::map<std::string, std::vector<double>> found;
  for (const auto& metric : rows.metrics) {
    found[metric.name.str()].push_back(metric.value);
  }
  return found;
}

TEST(PytorchExamples, AnEpochLastsFromItsFirstLineToItsTest) {
  Program program;
  double at_s = 4;  // for the imports
  for (int epoch = 1; epoch <= 3; ++epoch) {
    for (int batch = 0; batch < 30; batch += 10, at_s += 2) {
      program.prints(at_s, fmt::format("Train Epoch: {} [{}/2000 ({}%)]\tLoss: 2.300000", epoch,
                                       64 * batch, batch * 3));
    }
    program.prints(at_s, "");
    program.prints(
        at_s, fmt::format("Test set: Average loss: 0.{}, Accuracy: 480/500 (96%)", 10 - epoch));
    program.prints(at_s, "");
    at_s += 0.5;
  }
  const auto rows = program.ends();
  EXPECT_EQ(program.source(), "pytorch_examples");
  EXPECT_THAT(walls(rows), ElementsAre(6.5, 6.5, 6.5))
      << "the first batch as long as the next ones";
  EXPECT_EQ(rows.epochs.front().start_s, 3.5);
  EXPECT_THAT(metrics(rows)["test_loss"], ElementsAre(0.9, 0.8, 0.7));
  EXPECT_THAT(metrics(rows)["test_accuracy"], ElementsAre(0.96, 0.96, 0.96));
}

TEST(PytorchExamples, AnEpochThatIsCutIsNone) {
  Program program;
  program.prints(4, "Train Epoch: 1 [0/2000 (0%)]\tLoss: 2.3");
  program.prints(8, "Train Epoch: 1 [640/2000 (31%)]\tLoss: 2.2");
  program.prints(10, "Test set: Average loss: 2.2, Accuracy: 48/500 (10%)");
  program.prints(11, "Train Epoch: 2 [0/2000 (0%)]\tLoss: 2.1");
  EXPECT_THAT(walls(program.ends()), ElementsAre(7)) << "with the first batch, of a second";
}

TEST(PytorchExamples, TheLanguageModelPrintsItsBatches) {
  Program program;
  double at_s = 3;
  for (int epoch = 1; epoch <= 2; ++epoch) {
    for (int batch = 20; batch <= 100; batch += 20) {
      at_s += 2;
      program.prints(at_s, fmt::format("| epoch {:3d} | {:5d}/{:5d} batches | lr 20.00 | ms/batch "
                                       "100.00 | loss  5.30 | ppl   200.34",
                                       epoch, batch, 119));
    }
    at_s += 2.5;
    program.prints(at_s, std::string(89, '-'));
    program.prints(at_s, fmt::format("| end of epoch {:3d} | time: 12.50s | valid loss  5.{} | "
                                     "valid ppl   181.27",
                                     epoch, epoch));
  }
  const auto rows = program.ends();
  EXPECT_EQ(program.source(), "pytorch_examples");
  ASSERT_THAT(rows.epochs, SizeIs(2));
  EXPECT_NEAR(rows.epochs[1].wall_s, 11.9, 1e-9);  // 119 batches; the rest is the evaluation's
  EXPECT_NEAR(rows.epochs[1].evaluate_s, 0.6, 1e-9);
  EXPECT_THAT(metrics(rows)["valid_loss"], ElementsAre(5.1, 5.2));
  EXPECT_GE(rows.iterations.size(), 9U);
  EXPECT_EQ(rows.iterations.back().index, 99);
  EXPECT_THAT(rows.iterations.back().step_s, DoubleNear(0.1, 1e-9));
}

TEST(PytorchExamples, LinesOfOthersAreNot) {
  Program program;
  for (int i = 0; i < 20; ++i) {
    program.prints(i, "Test set: Average loss: 0.1, Accuracy: 1/2 (50%)");
    program.prints(i, "| epoch | loss |");
    program.prints(i, fmt::format("iter {}: done", i));
    program.prints(i, fmt::format("step {}: train loss is small", i));
  }
  EXPECT_THAT(program.ends().epochs, IsEmpty());
  EXPECT_EQ(program.source(), "none");
}

TEST(Nanogpt, StepsOfTheRunAreReadWithoutTheEvaluationsBetween) {
  Program program;
  double at_s = 2;
  for (int i = 0; i <= 100; ++i) {
    if (i % 50 == 0) {
      at_s += 3;
      program.prints(at_s, fmt::format("step {}: train loss 4.2000, val loss 4.3000", i));
    }
    at_s += 0.1;
    if (i % 10 == 0) {
      program.prints(at_s, fmt::format("iter {}: loss 4.1000, time 100.00ms, mfu 1.20%", i));
    }
  }
  const auto rows = program.ends();
  EXPECT_EQ(program.source(), "nanogpt");
  EXPECT_THAT(rows.epochs, IsEmpty());
  ASSERT_GE(rows.iterations.size(), 9U);
  EXPECT_EQ(rows.iterations.back().index, 100);
  EXPECT_THAT(metrics(rows)["val_loss"], ElementsAre(4.3, 4.3));
}

double value_of(const Rows& rows, const std::string& name) {
  double found = 0;
  int count = 0;
  for (const auto& metric : rows.metrics) {
    found = metric.name.view() == name ? metric.value : found;
    count += metric.name.view() == name ? 1 : 0;
  }
  EXPECT_EQ(count, 1) << name;
  return found;
}

// karpathy/nanoGPT, train.py: "tokens per iteration will be: {tokens_per_iter:,}".
TEST(LanguageModels, NanoGptStatesItsTokensOfAStep) {
  Program program;
  program.prints(1, "tokens per iteration will be: 491,520");
  for (int step = 0; step < 5; ++step) {
    program.prints(10 + 2 * step, fmt::format("iter {}: loss 2.4, time 2000.00ms, mfu 17%", step));
  }
  EXPECT_EQ(value_of(program.ends(), "tokens_per_step"), 491520);
}

// NVIDIA/Megatron-LM, megatron/training/arguments.py (_print_args) and training.py (training_log).
TEST(LanguageModels, MegatronStatesItsSequenceLengthAndBatch) {
  Program program;
  program.prints(1, "  seq_length ...................................... 4096");
  for (int step = 10; step <= 50; step += 10) {
    program.prints(10 + 2 * step,
                   fmt::format(" iteration {:8d}/     100 | consumed samples: {:12d} "
                               "| elapsed time per iteration (ms): 2000.0 | "
                               "global batch size:   512 | lm loss: 9.5E+00 |",
                               step, step * 512));
  }
  const auto rows = program.ends();
  EXPECT_EQ(value_of(rows, "sequence_length"), 4096);
  ASSERT_THAT(rows.iterations, testing::Not(IsEmpty()));
  EXPECT_EQ(rows.iterations.back().samples, 512);
}

// huggingface/transformers, src/transformers/trainer.py (_inner_training_loop); axolotl and TRL
// train with it.
TEST(LanguageModels, HuggingFaceStatesTheSamplesOfAStep) {
  Program program;
  program.prints(1, "  Total train batch size (w. parallel, distributed & accumulation) = 1,024");
  const auto bar = [](int step) {
    return fmt::format("{:3d}%|##   | {}/40 [{:02d}:{:02d}<00:10,  2.00s/it]", 100 * step / 40,
                       step, 2 * step / 60, 2 * step % 60);
  };
  for (int step = 0; step <= 40; ++step) {
    program.prints(10 + 2 * step, bar(step));
    if (step > 0 && step % 5 == 0) {
      program.prints(10 + 2 * step,
                     fmt::format("{{'loss': 1.5, 'learning_rate': 2e-05, 'epoch': {}}}",
                                 static_cast<double>(step) / 20));
      program.prints(10 + 2 * step, bar(step));
    }
  }
  const auto rows = program.ends();
  ASSERT_THAT(rows.iterations, SizeIs(40));
  for (const auto& row : rows.iterations) {
    EXPECT_EQ(row.samples, 1024);
  }
}

}  // namespace
}  // namespace epochcast::progress
