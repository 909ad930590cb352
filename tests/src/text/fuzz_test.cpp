// Bytes nobody meant: what reads them gives a result or one clear line, and the sanitizers of the
// asan preset see no fault. EPOCHCAST_LONG=1 runs a million of each.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "src/text/text_file.hpp"
#include "src/text/tokenizer.hpp"
#include "src/text/utf8.hpp"
#include "tests/src/text/hostile.hpp"
#include "tests/src/text/made_vocabulary.hpp"

namespace epochcast {
namespace {

int rounds(int usually) {
  return std::getenv("EPOCHCAST_LONG") != nullptr ? 1'000'000 : usually;
}

/// Changes a few places of `bytes`.
void damage(std::string& bytes, testing::HostileTexts& random) {
  for (auto left = random.below(4) + 1; left > 0; --left) {
    const std::size_t at = random.below(bytes.size() + 1);
    switch (random.below(5)) {
      case 0:
        bytes.insert(at, 1, "\t\n\r\",\0x0\xFF"[random.below(9)]);
        break;
      case 1:
        bytes.insert(at, random.next(4));
        break;
      case 2:
        bytes.erase(at, random.below(16) + 1);
        break;
      case 3:
        bytes.insert(at, bytes.substr(random.below(bytes.size() + 1), random.below(64)));
        break;
      default:
        if (at < bytes.size()) {
          bytes[at] = char(random.below(256));
        }
        break;
    }
  }
}

/// `read` may throw an Error of one line that names a file in `folder`.
template <class Read>
void expect_result_or_one_line(const std::string& folder, Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string text = error.what();
    ASSERT_TRUE(text.starts_with(folder + "/")) << text;
    ASSERT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(TextFuzz, WordPieceGivesIdsOfItsVocabulary) {
  const testing::MadeVocabularies made;
  const auto tokenizer = open_tokenizer("wordpiece", made.bert());
  testing::HostileTexts hostile(1);
  for (int round = rounds(5'000); round > 0; --round) {
    const std::string text = hostile.next();
    for (const TokenId id : tokenizer->encode(text, 256)) {
      ASSERT_GE(id, 0);
      ASSERT_LT(id, tokenizer->vocabulary_size());
    }
  }
}

TEST(TextFuzz, TheTokensOfByteBpeSpellTheText) {
  const testing::MadeVocabularies made;
  const auto tokenizer = open_tokenizer("byte_bpe", made.roberta());
  const auto tokens = testing::MadeMerges().tokens;
  testing::HostileTexts hostile(2);
  for (int round = rounds(5'000); round > 0; --round) {
    const std::string text = hostile.next();
    const TokenIds ids = tokenizer->encode(text, std::size_t(1) << 20);
    std::string spelled;
    for (std::size_t i = 1; i + 1 < ids.size(); ++i) {
      spelled += bytes_of_letters(tokens.at(std::size_t(ids[i]))).value();
    }
    std::string mended;
    const std::string_view expected = valid_utf8(text, mended);
    if (expected.find("<mask>") == std::string_view::npos) {  // which takes white space with it
      ASSERT_EQ(spelled, expected);
    }
  }
}

TEST(TextFuzz, DamagedTablesGiveSamplesOrOneLine) {
  const TemporaryFolder folder;
  const std::string whole[] = {"sentence\tlabel\na fine film\t1\nnot one\t0\n",
                               "index\tsentence\n0\ta\n1\tb\n",
                               "sentence,label\n\"two\nlines, \"\"quoted\"\"\",0\r\nplain,1\r\n"};
  testing::HostileTexts hostile(3);
  for (int round = rounds(1'000); round > 0; --round) {
    std::string bytes = whole[hostile.below(std::size(whole))];
    damage(bytes, hostile);
    set_bytes(folder / "table", bytes);
    expect_result_or_one_line(folder.path(), [&] {
      const TextSamples samples = read_texts(folder / "table");
      ASSERT_FALSE(samples.texts.empty());
      ASSERT_TRUE(samples.labels.empty() || samples.labels.size() == samples.texts.size());
    });
  }
}

TEST(TextFuzz, DamagedVocabulariesOpenOrGiveOneLine) {
  const testing::MadeVocabularies made;
  testing::HostileTexts hostile(4);
  const struct {
    std::string file;
    std::string tokenizer;
    std::string folder;
  } files[] = {{made.bert() + "/vocab.txt", "wordpiece", made.bert()},
               {made.roberta() + "/vocab.json", "byte_bpe", made.roberta()},
               {made.roberta() + "/merges.txt", "byte_bpe", made.roberta()}};
  for (const auto& [file, tokenizer, folder] : files) {
    const std::string whole = bytes_of(file);
    for (int round = rounds(300) / 10; round > 0; --round) {
      std::string bytes = whole;
      damage(bytes, hostile);
      set_bytes(file, bytes);
      expect_result_or_one_line(
          folder, [&] { open_tokenizer(tokenizer, folder)->encode("the unaffable", 16); });
    }
    set_bytes(file, whole);
  }
}

}  // namespace
}  // namespace epochcast
