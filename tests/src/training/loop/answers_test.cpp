#include "src/training/loop/answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "src/base/core/error.hpp"
#include "tests/files.hpp"

namespace epochcast::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const run::Parameters asked{{"model", "mlp", "text", "1"}, {"weights", "", "text", "1"}};

std::vector<std::int64_t> items_of(const std::vector<Answer>& answers) {
  std::vector<std::int64_t> items;
  for (const auto& answer : answers) {
    items.push_back(answer.item);
  }
  return items;
}

void write_part(const std::filesystem::path& folder, const std::string& attempt, std::int64_t rank,
                const std::vector<Answer>& answers) {
  AnswerFile file(folder, attempt, rank, asked);
  file.add(answers);
  file.sync();
}

TEST(Answers, AreTheLargestLogitWithItsSoftmax) {
  const std::vector<float> logits{1.0F, 3.0F, 3.0F, -2.0F};
  const auto answer = answer_of(7, logits);
  EXPECT_EQ(answer.item, 7);
  EXPECT_EQ(answer.answer, 1) << "of equal ones the first";
  EXPECT_NEAR(answer.score, 1 / (2 + std::exp(-2.0) + std::exp(-5.0)), 1e-12);
  EXPECT_DOUBLE_EQ(answer_of(0, std::vector<float>{1000.0F, -1000.0F}).score, 1);
}

TEST(Answers, AreEmptyIfALogitIsNotFinite) {
  for (const float bad : {std::nanf(""), HUGE_VALF, -HUGE_VALF}) {
    const auto answer = answer_of(7, std::vector<float>{1, bad, 2});
    EXPECT_EQ(answer.answer, -1);
    EXPECT_TRUE(std::isnan(answer.score));
    const TemporaryFolder folder;
    write_part(folder.path(), "p-1", 0, {answer});
    const auto read = read_answers(folder.path(), asked).answers;
    EXPECT_THAT(items_of(read), ElementsAre(7)) << "it is not answered again";
    EXPECT_EQ(read[0].answer, -1);
  }
}

TEST(Answers, OfARunWithAValueThatWasRenamedAreOfTheSameRun) {
  const TemporaryFolder folder;
  const run::Parameters before{{"procedure", "lab", "text", "1"}};
  AnswerFile(folder.path(), "p-1", 0, before).sync();
  EXPECT_NO_THROW(
      static_cast<void>(read_answers(folder.path(), {{"procedure", "reference", "text", "1"}})));
}

TEST(Answers, OfAllRanksAndAttemptsComeTogetherByItem) {
  const TemporaryFolder folder;
  write_part(folder.path(), "p-1", 1, {{5, 0, 1, 0.5}, {6, 1, -1, 0.75}});
  write_part(folder.path(), "p-1", 0, {{0, 1, 1, 1}});
  write_part(folder.path(), "p-2", 0, {{2, 1, 0, 0.625}});
  const auto answered = read_answers(folder.path(), asked);
  EXPECT_THAT(items_of(answered.answers), ElementsAre(0, 2, 5, 6));
  EXPECT_EQ(answered.answers[2].label, 1);
  EXPECT_EQ(answered.answers[3].label, -1);
  EXPECT_DOUBLE_EQ(answered.answers[3].score, 0.75);
  EXPECT_THAT(unanswered(answered.answers, 8), ElementsAre(1, 3, 4, 7));
}

TEST(Answers, NameTheRecordOfTheNewestAttempt) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_answers(folder.path(), asked).record, "");
  write_part(folder.path(), "mlp.cpu.e1.r0-abc-12", 0, {});
  EXPECT_EQ(read_answers(folder.path(), asked).record, "mlp.cpu.e1.r0-abc-12.h5");
}

TEST(Answers, CountUpToALineThatIsTorn) {
  const TemporaryFolder folder;
  write_part(folder.path(), "p-1", 0, {{0, 1, 1, 1}, {1, 1, 1, 1}});
  const auto path = folder.path() + "/answers/p-1.0.csv";
  for (const auto* torn : {"2,1", "2,1,1,0.5", "2,x,1,0.5\n3,1,1,1\n", ",,,\n"}) {
    const auto size = std::filesystem::file_size(path);
    std::ofstream(path, std::ios::app) << torn;
    EXPECT_THAT(items_of(read_answers(folder.path(), asked).answers), ElementsAre(0, 1)) << torn;
    std::filesystem::resize_file(path, size);
  }
}

TEST(Answers, ThatTwoAttemptsGaveCountOnce) {
  const TemporaryFolder folder;
  write_part(folder.path(), "p-1", 0, {{0, 1, 1, 1}});
  write_part(folder.path(), "p-2", 0, {{0, 1, 1, 1}, {1, 0, 0, 1}});
  EXPECT_THAT(items_of(read_answers(folder.path(), asked).answers), ElementsAre(0, 1));
}

TEST(Answers, WithoutANumberForAScoreStayAnswers) {
  const TemporaryFolder folder;
  write_part(folder.path(), "p-1", 0, {{0, 1, 1, std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_TRUE(std::isnan(read_answers(folder.path(), asked).answers.at(0).score));
}

TEST(Answers, OfOtherWeightsAreRefused) {
  const TemporaryFolder folder;
  write_part(folder.path(), "p-1", 0, {{0, 1, 1, 1}});
  auto others = asked;
  others.back().value = "trained.safetensors";
  try {
    static_cast<void>(read_answers(folder.path(), others));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("answers/p-1.0.csv: has answers of a run with weights ; "
                                        "this run has trained.safetensors"));
  }
}

TEST(Answers, AreWrittenAsOneTable) {
  const TemporaryFolder folder;
  const auto origin = [](std::int64_t item) { return item == 0 ? "a,b.png" : ""; };
  write_answers(folder.path(), {{0, 1, 1, 0.123456789}, {1, 0, -1, 1}}, origin);
  std::ifstream file(folder.path() + "/answers.csv");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "item,answer,label,score,origin\n0,1,1,0.123457,\"a,b.png\"\n1,0,,1,\n");
  write_answers(folder.path(), {}, origin);  // once more: in place of the first
  EXPECT_EQ(std::filesystem::file_size(folder.path() + "/answers.csv"), 31u);
}

TEST(Answers, OfARunThatStartsOverAreRemoved) {
  const TemporaryFolder folder;
  write_part(folder.path(), "p-1", 0, {{0, 1, 1, 1}});
  write_answers(folder.path(), {{0, 1, 1, 1}}, [](std::int64_t) { return ""; });
  remove_answers(folder.path());
  EXPECT_TRUE(read_answers(folder.path(), asked).answers.empty());
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/answers.csv"));
}

}  // namespace
}  // namespace epochcast::train
