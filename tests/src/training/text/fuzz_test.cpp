// Texts, tables and vocabularies that nobody meant.
#include "tests/fuzz.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/base/text/utf8.hpp"
#include "src/training/text/text_file.hpp"
#include "src/training/text/tokenizer.hpp"
#include "tests/files.hpp"
#include "tests/src/training/text/hostile.hpp"
#include "tests/src/training/text/made_vocabulary.hpp"

namespace epochcast::text {
namespace {

/// Bytes and texts for Damage.
std::vector<std::string> awkward_pieces(std::uint64_t seed) {
  std::vector<std::string> pieces{"\t", "\n", "\r", "\"", ",", "\\", std::string(1, '\0'), "\xFF"};
  test::HostileTexts hostile(seed);
  for (int i = 0; i < 64; ++i) {
    pieces.push_back(hostile.next(4));
  }
  return pieces;
}

TEST(TextFuzz, WordPieceGivesIdsOfItsVocabulary) {
  const test::MadeVocabularies made;
  const auto tokenizer = open_tokenizer("wordpiece", made.bert());
  test::HostileTexts hostile(1);
  for (int left = tests::fuzz_inputs(5'000); left > 0; --left) {
    const std::string text = hostile.next();
    for (const TokenId id : tokenizer->encode(text, 256)) {
      ASSERT_GE(id, 0);
      ASSERT_LT(id, tokenizer->vocabulary_size());
    }
  }
}

TEST(TextFuzz, TheTokensOfByteBpeSpellTheText) {
  const test::MadeVocabularies made;
  const auto tokenizer = open_tokenizer("byte_bpe", made.roberta());
  const auto tokens = test::MadeMerges().tokens;
  test::HostileTexts hostile(2);
  for (int left = tests::fuzz_inputs(1'000); left > 0; --left) {
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
  set_bytes(folder / "table", "");
  tests::Damage damage(3, awkward_pieces(3));
  tests::fuzz(tests::fuzz_inputs(1'000), folder / "table:", [&] {
    tests::rewrite(folder / "table", damage.of(whole[damage.below(std::size(whole))]));
    const TextSamples samples = read_texts(folder / "table");
    ASSERT_FALSE(samples.texts.empty());
    ASSERT_TRUE(samples.labels.empty() || samples.labels.size() == samples.texts.size());
  });
}

TEST(TextFuzz, DamagedVocabulariesOpenOrGiveOneLine) {
  const test::MadeVocabularies made;
  const struct {
    std::string file;
    std::string tokenizer;
    std::string folder;
  } files[] = {{made.bert() + "/vocab.txt", "wordpiece", made.bert()},
               {made.roberta() + "/vocab.json", "byte_bpe", made.roberta()},
               {made.roberta() + "/merges.txt", "byte_bpe", made.roberta()}};
  tests::Damage damage(4, awkward_pieces(4));
  for (const auto& [file, tokenizer, folder] : files) {
    const std::string whole = bytes_of(file);
    // a hundredth, since to open costs as much as to encode a hundred texts
    tests::fuzz(tests::fuzz_inputs(3'000) / 100, folder + "/", [&] {
      tests::rewrite(file, damage.of(whole));
      open_tokenizer(tokenizer, folder)->encode("the unaffable", 16);
    });
    set_bytes(file, whole);
  }
}

}  // namespace
}  // namespace epochcast::text
