#include "src/measure/progress/recognizer/recognizer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/measure/progress/recognizer/whole_log.hpp"
#include "tests/files.hpp"

namespace epochcast::progress {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Piece {
  double at_s = 0;
  std::string bytes;
};

/// What a program prints at these times becomes these rows.
struct Outcome {
  Rows rows;
  std::string source;
  std::string note;
  Position position;
};

Outcome recognize(const std::vector<Piece>& pieces, const RecognizerOptions& options = {}) {
  Recognizer recognizer(options);
  for (const auto& piece : pieces) {
    recognizer.read(Stream::terminal, piece.bytes, piece.at_s);
  }
  recognizer.finish(pieces.back().at_s + 1);
  return {recognizer.take(), recognizer.source(), recognizer.note(), recognizer.position()};
}

std::vector<double> walls(const Outcome& outcome) {
  std::vector<double> found;
  for (const auto& epoch : outcome.rows.epochs) {
    found.push_back(epoch.wall_s);
  }
  return found;
}

std::map<std::string, std::vector<double>> metrics(const Outcome& outcome) {
  std::map<std::string, std::vector<double>> found;
  for (const auto& metric : outcome.rows.metrics) {
    found[metric.name.str()].push_back(metric.value);
  }
  return found;
}

TEST(Recognizer, ReadsLinesOfALoopsOwn) {
  const auto outcome = recognize({{1, "loading\n"},
                                  {12, "Epoch 1/3 loss 0.5 val_acc 0.8\n"},
                                  {22, "Epoch 2/3 loss 0.25 val_acc 0.9\n"},
                                  {33, "Epoch 3/3 loss 0.125 val_acc 0.95\n"}});
  EXPECT_EQ(outcome.source, "plain");
  EXPECT_THAT(walls(outcome), ElementsAre(12, 10, 11));
  EXPECT_EQ(outcome.position.epochs, 3);
  EXPECT_THAT(metrics(outcome)["loss"], ElementsAre(0.5, 0.25, 0.125));
  EXPECT_THAT(metrics(outcome)["val_acc"], ElementsAre(0.8, 0.9, 0.95));
}

TEST(Recognizer, LinesOfAnotherShapeThatCountAfterTheLastEpochAreTheNextPhase) {
  const std::vector<Piece> pretrain{{10, "[pretrain] epoch 1/3 loss=0.5\n"},
                                    {20, "[pretrain] epoch 2/3 loss=0.4\n"},
                                    {30, "[pretrain] epoch 3/3 loss=0.3\n"}};
  auto both = pretrain;
  both.insert(both.end(),
              {{36, "[finetune] epoch 1/2 loss=0.9\n"}, {42, "[finetune] epoch 2/2 loss=0.8\n"}});
  const auto outcome = recognize(both);
  EXPECT_THAT(walls(outcome), ElementsAre(10, 10, 10, 6, 6));
  EXPECT_THAT(metrics(outcome)["loss"], ElementsAre(0.5, 0.4, 0.3, 0.9, 0.8));
  auto best = pretrain;
  best.push_back({36, "[best] epoch 1/3 loss=0.9\n"});
  EXPECT_THAT(walls(recognize(best)), ElementsAre(10, 10, 10));
}

/// As PyTorch's examples print: several lines an epoch, of which none ends it.
TEST(Recognizer, ATotalThatStepsOfLaterEpochsGoOnToIsThatOfTheRun) {
  std::vector<Piece> pieces;
  for (int step = 20; step <= 300; step += 20) {
    pieces.push_back(
        {0.5 * step, fmt::format("epoch: {}, iter: {}/300, loss: 2.0\n", (step - 1) / 100, step)});
  }
  const auto outcome = recognize(pieces);
  EXPECT_THAT(walls(outcome), ElementsAre(50, 50, 50));
  for (const auto& epoch : outcome.rows.epochs) {
    EXPECT_EQ(epoch.iterations, 100);
  }
  EXPECT_EQ(outcome.position.steps, 100);
}

TEST(Recognizer, TakesNoLineWithinAnEpochForItsEnd) {
  std::vector<Piece> pieces;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    const double at_s = 10 * epoch;
    const auto name = "Train Epoch: " + std::to_string(epoch);
    pieces.push_back({at_s, name + " [0/60000 (0%)]\tLoss: 2.300000\n"});
    pieces.push_back({at_s + 5, name + " [30000/60000 (50%)]\tLoss: 1.000000\n"});
  }
  EXPECT_THAT(walls(recognize(pieces)), ElementsAre(10, 10));
  pieces.clear();
  for (int line = 0; line < 16; ++line) {
    const auto epoch = std::to_string(line / 4);
    pieces.push_back({10.0 * line + 1, "epoch: " + epoch + " | loss: 0.5\n"});
  }
  EXPECT_THAT(walls(recognize(pieces)), ElementsAre(40, 40, 40));
}

TEST(Recognizer, EventsTakeThePlaceOfPrintedLines) {
  Recognizer recognizer({});
  recognizer.read({.epoch = 0, .epochs = 2, .begins_epoch = true}, 1, "events");
  recognizer.read(Stream::out, "Epoch 1/2 loss 0.5\n", 5.1);
  recognizer.read({.epoch = 0, .ends_epoch = true}, 5, "events");
  recognizer.read({.epoch = 1, .begins_epoch = true}, 6, "events");
  recognizer.read({.epoch = 1, .ends_epoch = true, .metrics = {{"loss", 0.25}}}, 10, "events");
  recognizer.finish(11);
  EXPECT_EQ(recognizer.source(), "events");
  const auto rows = recognizer.take();
  ASSERT_EQ(rows.epochs.size(), 2U);
  EXPECT_EQ(rows.epochs[0].wall_s, 4);
  EXPECT_EQ(rows.epochs[1].wall_s, 4);
  ASSERT_EQ(rows.metrics.size(), 1U);
  EXPECT_EQ(rows.metrics[0].epoch, 1);
}

TEST(Recognizer, KeepsAllEventsUntilTheyAreTaken) {
  constexpr int steps = 20'000;
  Recognizer recognizer({.format = "none"});
  recognizer.read({.epoch = 0, .begins_epoch = true}, 0, "events");
  for (int step = 1; step <= steps; ++step) {
    recognizer.read({.epoch = 0, .step = step, .metrics = {{"loss", 0.5}}}, step, "events");
  }
  recognizer.read({.epoch = 0, .ends_epoch = true}, steps + 1, "events");
  recognizer.finish(steps + 1);
  const auto rows = recognizer.take();
  EXPECT_EQ(rows.iterations.size(), std::size_t(steps));
  EXPECT_EQ(rows.metrics.size(), std::size_t(steps));
}

TEST(Recognizer, NumbersFromFilesAreAddedToTheEpochsOfPrintedLines) {
  Recognizer recognizer({});
  for (int epoch = 0; epoch < 3; ++epoch) {
    const double at_s = 10.0 * (epoch + 1);
    recognizer.read(Stream::out, "Epoch " + std::to_string(epoch + 1) + "/3 loss 0.5\n", at_s);
    recognizer.read({.epoch = epoch, .step = 5, .of_run = true, .metrics = {{"lr", 0.1}}}, at_s,
                    "metrics");
  }
  recognizer.finish(31);
  EXPECT_EQ(recognizer.source(), "plain");
  const auto rows = recognizer.take();
  EXPECT_EQ(rows.epochs.size(), 3U);
  EXPECT_EQ(
      std::ranges::count_if(rows.metrics, [](const auto& row) { return row.name.view() == "lr"; }),
      3);
}

TEST(Recognizer, ReadsTwoLinesAnEpoch) {
  std::vector<Piece> pieces;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    const double at_s = 10 * epoch;
    const auto name = "Epoch " + std::to_string(epoch) + "/3 ";
    pieces.push_back({at_s, name + "train_loss: 0.5\n"});
    pieces.push_back({at_s + 2, name + "val_loss: 0.7\n"});
  }
  const auto outcome = recognize(pieces);
  EXPECT_THAT(walls(outcome), ElementsAre(10, 8, 8)) << "2 s are those of the evaluation";
  EXPECT_THAT(metrics(outcome)["val_loss"], ElementsAre(0.7, 0.7, 0.7));
}

TEST(Recognizer, ReadsBarsOfTqdm) {
  std::vector<Piece> pieces;
  for (int epoch = 0; epoch < 3; ++epoch) {
    const double at_s = 10 * epoch + 2;
    pieces.push_back({at_s, "\r  0%|          | 0/10 [00:00<?, ?it/s]"});
    pieces.push_back({at_s + 4, "\r 50%|█████     | 5/10 [00:04<00:04,  1.2it/s, loss=0.5]"});
    pieces.push_back({at_s + 8, "\r100%|██████████| 10/10 [00:08<00:00,  1.2it/s, loss=0.4]\n"});
  }
  const auto outcome = recognize(pieces);
  EXPECT_EQ(outcome.source, "tqdm");
  EXPECT_THAT(walls(outcome), ElementsAre(10, 10, 8));
  EXPECT_THAT(metrics(outcome)["loss"], ElementsAre(0.4, 0.4, 0.4));
}

TEST(Recognizer, ReadsKeras) {
  std::vector<Piece> pieces;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    const double at_s = 10 * epoch;
    pieces.push_back({at_s, "Epoch " + std::to_string(epoch) + "/3\r\n"});
    pieces.push_back({at_s + 1,
                      "\r\x1b[1m1/6\x1b[0m \x1b[32m━━━\x1b[0m\x1b[37m━━━━━\x1b[0m \x1b[1m0s\x1b[0m "
                      "6ms/step - loss: 4.9364 - mae: 1.9970"});
    pieces.push_back({at_s + 9,
                      "\b\b\b\b\r\x1b[1m6/6\x1b[0m \x1b[32m━━━━━━━━\x1b[0m\x1b[37m\x1b[0m "
                      "\x1b[1m9s\x1b[0m 5ms/step - loss: 4.1157 - val_loss: 2.5\r\n"});
  }
  const auto outcome = recognize(pieces);
  EXPECT_EQ(outcome.source, "keras");
  EXPECT_THAT(walls(outcome), ElementsAre(9, 9, 9));
  EXPECT_EQ(outcome.position.epochs, 3);
  EXPECT_THAT(metrics(outcome)["val_loss"], ElementsAre(2.5, 2.5, 2.5));
  EXPECT_THAT(metrics(outcome)["loss"], ElementsAre(4.1157, 4.1157, 4.1157));
}

TEST(Recognizer, SaysHowToAddAPatternWhereNothingIsKnown) {
  const auto outcome = recognize({{1, "hello 1\n"}, {2, "hello 2\n"}});
  EXPECT_EQ(outcome.source, "none");
  EXPECT_THAT(outcome.note, HasSubstr("--pattern"));
  EXPECT_THAT(outcome.rows.epochs, IsEmpty());
}

TEST(Recognizer, ProposesAPatternForALineThatCounts) {
  std::vector<Piece> pieces;
  for (int i = 1; i <= 5; ++i) {
    const auto text = std::to_string(i);
    pieces.push_back({10.0 * i, "round " + text + "/5: cost=0." + text + " (2026)\n"});
  }
  const auto outcome = recognize(pieces);
  EXPECT_EQ(outcome.source, "none");
  const std::string pattern =
      R"(round\s*(?<step>\d+)/(?<steps>\d+):\s+cost=(?<cost>[-+.\deE]+)\s+\()";
  EXPECT_THAT(outcome.note, HasSubstr("--pattern '" + pattern));
  EXPECT_THAT(outcome.note, HasSubstr("if these are epochs, write (?<epoch> and (?<epochs> there"));
}

TEST(Recognizer, ProposesAPatternForNumbersOfAnyWidth) {
  std::vector<Piece> pieces;
  for (int i = 8; i <= 12; ++i) {
    pieces.push_back({10.0 * i, fmt::format("[{:2d}] cost={:.1f}\n", i, 1.0 / i)});
  }
  EXPECT_THAT(recognize(pieces).note, HasSubstr(R"(--pattern '\[\s*(?<step>\d+)\]\s+cost=)"));
  const auto read = recognize(pieces, {.pattern = R"(\[\s*(?<epoch>\d+)\]\s+cost=)"});
  EXPECT_EQ(read.rows.epochs.size(), 5U);
}

TEST(Recognizer, RoundsAPartOfAnEpochThatIsNearlyWhole) {
  EXPECT_EQ(possible({.part = 0.1 + 0.7 + 0.2})->part, 1);  // 0.9999999999999999
  EXPECT_EQ(possible({.part = 1.0000000000000002})->part, 1);
  EXPECT_EQ(possible({.part = 0.999})->part, 0.999);
  EXPECT_FALSE(possible({.part = 1.001})->part);
}

TEST(Recognizer, ReadsByAPattern) {
  std::vector<Piece> pieces;
  for (int i = 1; i <= 3; ++i) {
    const auto text = std::to_string(i);
    pieces.push_back({10.0 * i, "[Runde " + text + "] Fehler " + "0." + text + "\n"});
  }
  const auto outcome =
      recognize(pieces, {.pattern = R"(Runde (?<epoch>\d+)\] Fehler (?<loss>[\d.]+))"});
  EXPECT_EQ(outcome.source, "pattern");
  EXPECT_THAT(walls(outcome), ElementsAre(10, 10, 10));
  EXPECT_THAT(metrics(outcome)["loss"], ElementsAre(0.1, 0.2, 0.3));
}

/// As keras.io's addition_rnn: no "Epoch" above the bar of a single epoch, and predict() after it.
std::vector<Piece> single_fits(const std::string& validation) {
  std::vector<Piece> pieces;
  for (int i = 0; i < 4; ++i) {
    const double begin_s = 10.0 * i;
    pieces.push_back({begin_s + 1, "Iteration " + std::to_string(i) +
                                       "\n\r  1/225 \u2501\u2501 4s 20ms/step - loss: 2.4"});
    pieces.push_back(
        {begin_s + 8, "\r225/225 \u2501\u2501 7s 31ms/step - loss: 1.5" + validation + "\n"});
    pieces.push_back({begin_s + 10, "\r1/1 \u2501\u2501 0s 9ms/step\nQ 1+1 T 2\n"});
  }
  return pieces;
}

TEST(Recognizer, ReadsKerasFitsOfASingleEpochInALoop) {
  const auto outcome = recognize(single_fits(" - val_loss: 1.2"), {});
  EXPECT_EQ(outcome.source, "keras");
  EXPECT_THAT(walls(outcome), ElementsAre(6.975, 10, 10, 10));
  EXPECT_THAT(metrics(outcome)["val_loss"], ElementsAre(1.2, 1.2, 1.2, 1.2));
}

TEST(Recognizer, BarsOfKerasWithoutAnEpochMayBeEvaluations) {
  EXPECT_EQ(recognize(single_fits(""), {}).source, "none");
}

/// As the loop of pytorch/examples' time_sequence_prediction: a heading, then losses.
std::vector<Piece> headings(const std::string& word) {
  std::vector<Piece> pieces;
  for (int i = 0; i < 4; ++i) {
    pieces.push_back({10.0 * i + 1, word + std::to_string(i) + "\nloss: 0.5\n"});
    pieces.push_back({10.0 * i + 6, "loss: 0.4\n"});
  }
  return pieces;
}

TEST(Recognizer, ReadsLinesThatBeginAnEpochByAPattern) {
  const auto outcome = recognize(headings("Round "), {.pattern = R"(Round (?<epoch_begins>\d+))"});
  EXPECT_THAT(walls(outcome), ElementsAre(10, 10, 10)) << "nothing shows the end of the last one";
}

TEST(Recognizer, ProposesALineThatBeginsWhatFollowsAsOneThatBegins) {
  const auto pattern_for = [](const std::vector<Piece>& pieces) {
    Recognizer recognizer({});
    for (const auto& [at_s, text] : pieces) {
      recognizer.read(Stream::out, text, at_s);
    }
    recognizer.finish(100);
    const auto note = recognizer.note();
    return note.substr(std::min(note.find("--pattern"), note.size()));
  };
  const std::string hint = " (if these are epochs, write (?<epoch> there)";
  EXPECT_EQ(pattern_for(headings("STEP:  ")),
            R"(--pattern 'STEP:\s*(?<step>\d+)', which reads step = 0, 1, 2)" + hint);
  EXPECT_EQ(
      pattern_for(headings("an epoch, number ")),
      R"(--pattern 'an\s+epoch,\s+number\s*(?<step>\d+)', which reads step = 0, 1, 2)" + hint);
  EXPECT_EQ(pattern_for(headings("Superepoch ")),
            R"(--pattern 'Superepoch\s*(?<epoch_begins>\d+)', which reads epoch_begins = 0, 1, 2)");
  std::vector<Piece> ends;
  for (int i = 1; i < 5; ++i) {
    ends.push_back({10.0 * i, "loss: 0.5\nSuperepoch " + std::to_string(i) + " of 9\n"});
  }
  EXPECT_EQ(
      pattern_for(ends),
      R"(--pattern 'Superepoch\s*(?<epoch>\d+)\s+of\s*(?<epochs>\d+)', which reads epoch = 1, 2, 3)");
}

TEST(Recognizer, ThatReadsNothingProposesNothing) {
  Recognizer recognizer({.format = "none"});
  recognizer.read(Stream::out, "loss: 0.5\nloss: 0.4\n", 1);
  recognizer.finish(2);
  EXPECT_EQ(recognizer.note(), "");
}

TEST(Recognizer, RefusesAPatternThatCannotWork) {
  EXPECT_THAT(error_of([] { Recognizer({.pattern = "(?<epoch>"}); }),
              HasSubstr("is no regular expression"));
  EXPECT_THAT(error_of([] { Recognizer({.pattern = "(?<epoh>\\d+)"}); }),
              HasSubstr("did you mean 'epoch'"));
  EXPECT_THAT(error_of([] { Recognizer({.format = "pattern"}); }),
              HasSubstr("--pattern is missing"));
}

/// An expression that would take ages on such a line: the search ends, and the line does not match.
TEST(Recognizer, APatternTakesBoundedTime) {
  Recognizer recognizer({.pattern = R"((a+)+(?<epoch>\d)$)"});
  recognizer.read(Stream::out, std::string(4000, 'a') + "\n", 1);
  recognizer.finish(2);
  EXPECT_THAT(recognizer.take().epochs, IsEmpty());
}

/// Two loops print the word epoch, but no epoch ends: below the confidence, there is no guess.
TEST(Recognizer, GuessesNothingFromASingleLine) {
  EXPECT_EQ(recognize({{1, "Epoch 1 of the Holocene: 11700 years\n"}}).source, "none");
  EXPECT_EQ(recognize({{1, "Epoch 1/10 loss 0.5\n"}}).source, "none");
}

/// Two epochs of 40 s, three minutes of pause, and the first step `resumed_s` after the resume.
std::string resumed_log(int resumed_s) {
  std::string log;
  int now_s = 0;
  const auto line = [&](int wait_s, const std::string& words) {
    now_s += wait_s;
    log += fmt::format("09/03 07:{:02d}:{:02d} - mmengine - INFO - {}\n", now_s / 60, now_s % 60,
                       words);
  };
  for (int epoch = 1; epoch <= 3; ++epoch) {
    line(epoch == 3 ? 180 : 0,
         epoch == 3 ? "Auto resumed from the latest checkpoint epoch_2.pth." : "Exp name: first");
    for (int step = 1; step <= 4; ++step) {
      line(epoch == 3 && step == 1 ? resumed_s : 10,
           fmt::format("Epoch(train) [{}][{}/4]  lr: 1.0000e-02  eta: 0:00:16  time: 10.0000  "
                       "data_time: 0.1000  loss: 1.9667",
                       epoch, step));
    }
  }
  return log;
}

TEST(Recognizer, AnEpochWhoseBeginAfterAResumeIsUnknownHasNoTime) {
  const auto walls = [](int resumed_s) {
    std::vector<double> rounded;
    for (const auto& epoch : read_whole_log(resumed_log(resumed_s)).rows.epochs) {
      rounded.push_back(std::round(epoch.wall_s));
    }
    return rounded;
  };
  EXPECT_THAT(walls(11), ElementsAre(40, 40, 40));
  EXPECT_THAT(walls(60), ElementsAre(40, 40, 0)) << "its first step, or what came before it?";
}

TEST(Recognizer, RefusesAnUnknownFormat) {
  EXPECT_THAT(error_of([] { Recognizer({.format = "keraz"}); }), HasSubstr("keras"));
}

}  // namespace
}  // namespace epochcast::progress
