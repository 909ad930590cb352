#include "src/serving/service/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::serve {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts_of(std::string_view body, const RequestLimits& limits = {}) {
  return read_items(Kind::text, body, "", limits);
}

/// "STATUS LINE" of the refusal.
std::string refusal_of(Kind kind, std::string_view body, const RequestLimits& limits = {}) {
  try {
    read_items(kind, body, "", limits);
  } catch (const BadRequest& error) {
    return std::to_string(error.http_status()) + " " + error.what();
  }
  return "accepted";
}

std::string refusal_of(std::string_view body, const RequestLimits& limits = {}) {
  return refusal_of(Kind::text, body, limits);
}

TEST(PredictRequest, HasTheTextsOfTheListInTheirOrder) {
  EXPECT_THAT(texts_of(R"({"text": ["a", "", "\u00e9 \ud83d\ude00"]})"),
              ElementsAre("a", "", "\u00e9 \U0001F600"));
}

TEST(PredictRequest, HasThePicturesAsBase64OrAsTheBody) {
  EXPECT_THAT(read_items(Kind::picture, R"({"picture": ["AAH/", "/w=="]})", "", {}),
              ElementsAre(std::string("\0\x01\xff", 3), "\xff"));
  EXPECT_THAT(read_items(Kind::picture, "\x89PNG...", "image/png", {}), ElementsAre("\x89PNG..."));
}

TEST(PredictRequest, OfAnotherFormIsRefusedWithWhatWasExpected) {
  EXPECT_EQ(refusal_of(""), "400 body: is no JSON at its byte 1");
  EXPECT_EQ(refusal_of("{\"text\": [\"a\"]"), "400 body: is no JSON at its byte 15");
  EXPECT_EQ(refusal_of("[1]"),
            "422 body: found JSON of type array, expected {\"text\": [\"...\", ...]}");
  EXPECT_EQ(refusal_of(R"({"txt": ["a"]})"),
            "422 body: unknown key \"txt\", expected {\"text\": [\"...\", ...]}; did you mean "
            "'text'?");
  EXPECT_EQ(refusal_of(R"({"text": ["a"], "more": 1})"),
            "422 body: unknown key \"more\", expected {\"text\": [\"...\", ...]}");
  EXPECT_EQ(refusal_of("{}"), "422 text: expected a list of at least one string");
  EXPECT_EQ(refusal_of(R"({"text": []})"), "422 text: expected a list of at least one string");
  EXPECT_EQ(refusal_of(R"({"text": "a"})"), "422 text: expected a list of at least one string");
  EXPECT_EQ(refusal_of(R"({"text": ["a", 1]})"),
            "422 text[1]: found JSON of type number, expected a string");
  EXPECT_EQ(refusal_of(R"({"text": ["a"], "text": ["b"]})"),
            "400 body: found the name \"text\" twice");
  EXPECT_EQ(refusal_of(R"({"text": [[["a"]]]})"), "400 body: found JSON nested deeper than 2");
  EXPECT_EQ(refusal_of(std::string(1'000'000, '[')), "400 body: found JSON nested deeper than 2");
  EXPECT_EQ(refusal_of(Kind::picture, R"({"picture": ["AAH/", "A"]})"),
            "422 picture[1]: is no base64");
  EXPECT_EQ(refusal_of(Kind::picture, R"({"text": ["a"]})"),
            "422 body: unknown key \"text\", expected {\"picture\": [\"BASE64\", ...]}");
}

TEST(PredictRequest, WithBytesThatAreNotUtf8IsRefusedWithTheirPlace) {
  EXPECT_EQ(refusal_of("{\"text\": [\"a\xff\"]}"),
            "400 body: found bytes that are not UTF-8 at byte 12");
  EXPECT_EQ(refusal_of("{\"text\": [\"\xc0\xaf\"]}"),  // an overlong '/'
            "400 body: found bytes that are not UTF-8 at byte 11");
  EXPECT_EQ(refusal_of("{\"text\": [\"\xed\xa0\x80\"]}"),  // half of a surrogate pair
            "400 body: found bytes that are not UTF-8 at byte 11");
  EXPECT_THAT(refusal_of(R"({"text": ["\ud800"]})"), testing::StartsWith("400 body: is no JSON"));
}

TEST(PredictRequest, OverALimitIsRefusedWithTheLimit) {
  EXPECT_EQ(refusal_of(R"({"text": ["a", "b", "c"]})", {.items = 2}),
            "413 text: found 3 items, expected at most 2");
  EXPECT_EQ(refusal_of(R"({"text": ["a", "abcd"]})", {.text_bytes = 3}),
            "413 text[1]: found 4 bytes, expected at most 3");
  EXPECT_THAT(texts_of(R"({"text": ["abc", "abc"]})", {.items = 2, .text_bytes = 3}),
              ElementsAre("abc", "abc"));
}

}  // namespace
}  // namespace epochcast::serve
