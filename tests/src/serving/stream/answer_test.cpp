// Items become answers.
#include "src/serving/stream/answer.hpp"

#include <gtest/gtest.h>

#include "tests/src/serving/stream/known_predictor.hpp"

namespace epochcast::stream {
namespace {

TEST(AnswerItems, AnswersEachItemAtItsPlaceInPassesOfLimitedSize) {
  std::vector<Item> items;
  for (const std::string text : {"four", "a", "bad", "longest of all", "", "it is"}) {
    items.push_back({.text = text, .label = 2});
  }
  KnownPredictor predictor(serve::Kind::text);
  const auto answers = answer_items(predictor, items, 2);
  ASSERT_EQ(answers.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(answers[i].chosen, i == 2 ? -1 : known_class(items[i].text)) << i;
    EXPECT_EQ(answers[i].refused, i == 2 ? "found 'bad'" : "") << i;
    EXPECT_EQ(answers[i].label, 2);
  }
  EXPECT_EQ(predictor.passes, (std::vector<std::size_t>{2, 2, 1}));
}

TEST(AnswerItems, RefusesWhatTheNetworkDoesNotTake) {
  KnownPredictor pictures(serve::Kind::picture);
  EXPECT_EQ(answer_items(pictures, {{.text = "a"}}, 8)[0].refused,
            "found a text, expected a picture");
  KnownPredictor texts(serve::Kind::text);
  const Item picture{.planes = std::string(picture_bytes, 'x')};
  EXPECT_EQ(answer_items(texts, {picture}, 8)[0].refused, "found a picture, expected a text");
  EXPECT_EQ(answer_items(texts, {{.refused = "no item"}}, 8)[0].refused, "no item");
  EXPECT_TRUE(texts.passes.empty());
}

}  // namespace
}  // namespace epochcast::stream
