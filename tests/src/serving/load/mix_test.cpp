#include "src/serving/load/mix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "src/base/core/digest.hpp"
#include "tests/files.hpp"

namespace epochcast::load {
namespace {

using ::testing::HasSubstr;

Mix mix_of(const run::LoadOptions& options) {
  return Mix(options, [](const std::string& body) { return body; });
}

std::vector<std::string> texts_of(const Mix::Request& request) {
  return nlohmann::json::parse(*request.bytes).at("text").get<std::vector<std::string>>();
}

TEST(Mix, OfTheStudyIsThreeFixedTextsOrTenInRandomOrder) {
  auto mix = mix_of({.cached = 0.95});
  std::set<std::vector<std::string>> fixed;
  std::set<std::vector<std::string>> shuffled;
  std::set<std::vector<std::string>> sorted;
  int fixed_count = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto request = mix.next();
    auto texts = texts_of(request);
    EXPECT_EQ(request.texts, std::ssize(texts));
    if (texts.size() == 3) {
      ++fixed_count;
      fixed.insert(texts);
    } else {
      shuffled.insert(texts);
      std::ranges::sort(texts);
      sorted.insert(texts);
    }
  }
  EXPECT_EQ(fixed.size(), 1U);
  EXPECT_EQ(sorted.size(), 1U);
  EXPECT_EQ(sorted.begin()->size(), 10U);
  EXPECT_GT(shuffled.size(), 400U);
  EXPECT_NEAR(fixed_count, 9500, 4 * std::sqrt(10'000 * 0.95 * 0.05));
}

TEST(Mix, OfAFileTakesItsTexts) {
  const TemporaryFolder folder;
  set_bytes(folder / "texts", "one\n\n two \"quoted\" \r\nschön\n");
  auto mix = mix_of({.mix = folder / "texts", .texts = 2, .cached = 0});
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const auto texts = texts_of(mix.next());
    EXPECT_EQ(texts.size(), 2U);
    seen.insert(texts.begin(), texts.end());
  }
  EXPECT_EQ(seen, (std::set<std::string>{"one", "two \"quoted\"", "schön"}));
}

TEST(Mix, OfAFileRepeatsItsFirstTexts) {
  const TemporaryFolder folder;
  set_bytes(folder / "texts", "one\ntwo\nthree\n");
  auto mix = mix_of({.mix = folder / "texts", .texts = 2, .cached = 1});
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(texts_of(mix.next()), (std::vector<std::string>{"one", "two"}));
  }
}

TEST(Mix, OfAFolderTakesItsPictures) {
  const TemporaryFolder folder;
  set_bytes(folder / "b.PNG", "second");
  set_bytes(folder / "a.jpg", std::string("first\0\xff", 7));
  set_bytes(folder / "notes.txt", "no picture");
  auto mix = mix_of({.mix = folder.path(), .texts = 2, .cached = 0});
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const auto request = mix.next();
    EXPECT_EQ(request.texts, 2);
    const auto body = nlohmann::json::parse(*request.bytes);
    for (const auto& each : body.at("picture")) {
      seen.insert(decode_base64(each.get<std::string>()).value());
    }
  }
  EXPECT_EQ(seen, (std::set<std::string>{"second", std::string("first\0\xff", 7)}));
  auto fixed = mix_of({.mix = folder.path(), .texts = 1, .cached = 1});
  EXPECT_EQ(nlohmann::json::parse(*fixed.next().bytes).at("picture").at(0),
            encode_base64(std::string("first\0\xff", 7)));
}

TEST(Mix, NamesAFolderWithoutPictures) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { (void)mix_of({.mix = folder.path()}); }),
              HasSubstr(": no pictures; expected .png, .jpg or .jpeg files"));
}

TEST(Mix, NamesAFileThatHasNoTexts) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& bytes) {
    set_bytes(folder / "texts", bytes);
    return error_of([&] { (void)mix_of({.mix = folder / "texts"}); });
  };
  EXPECT_THAT(message("\n \n"), HasSubstr("texts: no texts; expected one a line"));
  EXPECT_THAT(message("good\nbad\xff\n"), HasSubstr("texts:2: not UTF-8"));
  EXPECT_THAT(error_of([&] { (void)mix_of({.mix = folder / "missing"}); }), HasSubstr("missing"));
}

}  // namespace
}  // namespace epochcast::load
