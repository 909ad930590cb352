// Token ids held against the package `tokenizers`: they must be the same for every text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "src/base/core/text.hpp"
#include "src/training/text/text_file.hpp"
#include "src/training/text/tokenizer.hpp"
#include "tests/python.hpp"
#include "tests/shared_data.hpp"
#include "tests/src/training/text/hostile.hpp"
#include "tests/src/training/text/made_vocabulary.hpp"

namespace epochcast::text {
namespace {

struct Source {
  std::string name;
  std::string files;  ///< Separated by ':'.
};

const Source bert{"wordpiece", shared_data("text/vocab/bert-base-uncased-vocab.txt")};
const Source roberta{"byte_bpe", shared_data("text/vocab/roberta-base-vocab.json") + ":" +
                                     shared_data("text/vocab/roberta-base-merges.txt")};

std::string little_endian(std::uint32_t number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

std::vector<TokenIds> reference(const std::string& python, const Source& source,
                                const std::vector<std::string>& texts, std::size_t max_length) {
  const TemporaryFolder folder;
  std::string input;
  for (const std::string& text : texts) {
    input += little_endian(std::uint32_t(text.size())) + text;
  }
  set_bytes(folder / "texts", input);
  std::string command =
      fmt::format("{} {}/tests/python/tokenizers_reference.py {} {} {}", shell_quote(python),
                  EPOCHCAST_SOURCE_DIR, source.name, shell_quote(folder / "ids"), max_length);
  for (const std::string& file : split(source.files, ':')) {
    command += " " + shell_quote(file);
  }
  command += " < " + shell_quote(folder / "texts");
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<TokenIds> all;
  std::ifstream in(folder / "ids", std::ios::binary);
  for (std::uint32_t count = 0; in.read(reinterpret_cast<char*>(&count), sizeof count);) {
    TokenIds& ids = all.emplace_back(count);
    in.read(reinterpret_cast<char*>(ids.data()), std::streamsize(count * sizeof(TokenId)));
  }
  return all;
}

/// The bytes of a text as hexadecimal numbers: tweets are not for a log, and controls not for a
/// terminal.
std::string hex(const std::string& text) {
  std::string result;
  for (const char byte : text.substr(0, 400)) {
    result += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return result;
}

void expect_same_ids(const Source& source, const std::vector<std::string>& texts,
                     std::size_t max_length) {
  const auto python = tests::python_with("tokenizers");
  if (!python) {
    GTEST_SKIP() << "no Python with tokenizers: env/test installs it, or set EPOCHCAST_PYTHON";
  }
  const auto expected = reference(*python, source, texts, max_length);
  ASSERT_EQ(expected.size(), texts.size());
  const auto tokenizer = open_tokenizer(source.name, source.files);
  int shown = 0;
  for (std::size_t i = 0; i < texts.size() && shown < 5; ++i) {
    const TokenIds ids = tokenizer->encode(texts[i], max_length);
    if (ids != expected[i]) {
      ++shown;
      ADD_FAILURE() << source.name << ", text " << i << ": " << hex(texts[i]) << "\n  ours "
                    << fmt::format("{}", fmt::join(ids, " ")).substr(0, 400) << "\n  theirs "
                    << fmt::format("{}", fmt::join(expected[i], " ")).substr(0, 400);
    }
  }
}

std::vector<std::string> sst2() {
  std::vector<std::string> texts;
  for (const char* part : {"train", "dev", "test"}) {
    const auto more = read_texts(shared_data(fmt::format("text/sst2/{}.tsv", part))).texts;
    texts.insert(texts.end(), more.begin(), more.end());
  }
  return texts;
}

std::vector<std::string> hostile(std::size_t count, int long_ones) {
  test::HostileTexts make(20261121);
  std::vector<std::string> texts;
  while (texts.size() < count) {
    texts.push_back(make.next());
  }
  for (; long_ones > 0; --long_ones) {
    texts.push_back(make.long_one(100'000));
  }
  return texts;
}

/// Each between letters, where it shows whether it is dropped, parts words or stands alone.
std::vector<std::string> all_code_points() {
  const char32_t end = std::getenv("EPOCHCAST_LONG") != nullptr ? 0x110000 : 0x20000;
  std::vector<std::string> texts;
  for (char32_t code = 1; code < end; ++code) {
    if (code % 16 == 1) {
      texts.emplace_back();
    }
    if (code < 0xD800 || code > 0xDFFF) {
      texts.back() += " a";
      append_utf8(code, texts.back());
      texts.back() += "b ";
      append_utf8(code, texts.back());
      texts.back() += "1";
    }
  }
  return texts;
}

class TokenizersParity : public ::testing::TestWithParam<Source> {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the ids are held in builds without sanitizers; these run fuzz_test.cpp";
#endif
    for (const std::string& file : split(GetParam().files, ':')) {
      if (!std::filesystem::exists(file)) {
        GTEST_SKIP() << "no " << file << " on this machine";
      }
    }
  }
};

TEST_P(TokenizersParity, AllOfSst2) {
  EPOCHCAST_NEEDS_SHARED_DATA("text/sst2/train.tsv");
  const auto texts = sst2();
  ASSERT_EQ(texts.size(), 67'349U + 872U + 1'821U);
  expect_same_ids(GetParam(), texts, 512);
}

TEST_P(TokenizersParity, AllTweets) {
  EPOCHCAST_NEEDS_SHARED_DATA("text/hate-speech/labeled_data.csv");
  const auto tweets = read_texts(shared_data("text/hate-speech/labeled_data.csv"),
                                 {.text = "tweet", .label = "class"});
  ASSERT_EQ(tweets.texts.size(), 24'783U);
  EXPECT_TRUE(tweets.notes.empty());
  expect_same_ids(GetParam(), tweets.texts, 32);  // many are cut
}

TEST_P(TokenizersParity, HostileTexts) {
  expect_same_ids(GetParam(), hostile(10'000, 4), 1'000'000);
}

TEST_P(TokenizersParity, EveryCodePoint) {
  expect_same_ids(GetParam(), all_code_points(), 1'000'000);
}

INSTANTIATE_TEST_SUITE_P(Shared, TokenizersParity, ::testing::Values(bert, roberta),
                         [](const auto& tested) { return tested.param.name; });

TEST(TokenizersParityOfMadeVocabularies, HostileTexts) {
  const test::MadeVocabularies made;
  for (const Source& source :
       {Source{"wordpiece", made.bert() + "/vocab.txt"},
        Source{"byte_bpe", made.roberta() + "/vocab.json:" + made.roberta() + "/merges.txt"}}) {
    expect_same_ids(source, hostile(1'000, 0), 1'000'000);
  }
}

}  // namespace
}  // namespace epochcast::text
