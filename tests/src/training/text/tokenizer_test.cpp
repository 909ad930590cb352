// Both tokenizers on small made vocabularies, rule by rule (parity_test.cpp holds them against the
// package they follow), and what they say of broken ones.
#include "src/training/text/tokenizer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/src/training/text/made_vocabulary.hpp"

namespace epochcast::text {
namespace {

using test::MadeMerges;
using test::MadeVocabularies;

/// Ids as the tokens they stand for, separated by blanks.
std::string tokens_of(const TokenIds& ids, const std::vector<std::string>& tokens) {
  std::string text;
  for (const TokenId id : ids) {
    text += (text.empty() ? "" : " ") + tokens.at(std::size_t(id));
  }
  return text;
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (; times > 0; --times) {
    result += text;
  }
  return result;
}

struct Case {
  std::string text;
  std::string tokens;  ///< Without those that begin and end the sequence.
};

TEST(WordPiece, SplitsWordsAsTheFastTokenizerDoes) {
  const MadeVocabularies made;
  const auto tokenizer = open_tokenizer("wordpiece", made.bert());
  const auto tokens = test::made_tokens();
  const Case cases[] = {
      {"", ""},
      {"Hello, world!", "hello , world !"},
      {"unaffable running", "un ##aff ##able runn ##ing"},
      {"un\xC2\xAD"
       "affable",
       "un ##aff ##able"},      // a soft hyphen is dropped
      {"Caf\xC3\xA9", "cafe"},  // accents are dropped
      {"cafe\xCC\x81", "cafe"},
      {"\xC4\xB0I\xC4\xB1", "i ##i ##ı"},           // İ Iı
      {"\xCE\xA3\xCE\xA3", "σ ##σ"},                // no final sigma
      {"a\xE4\xB8\xAD\xE6\x97\xA5z", "a 中 日 z"},  // ideographs stand alone
      {"\xED\x95\x9C", "ᄒ ##ᅡ ##ᆫ"},             // Hangul comes apart
      {"\xE2\x82\xAC"
       "5",
       "€ ##5"},                             // a symbol, no punctuation
      {"a$b", "a $ b"},                      // but ASCII's all are
      {"a\xE3\x80\x80z\xC2\xA0y", "a z y"},  // other white space
      {"a\tb\nc\x0B"
       "d\x01",
       "a b c ##d"},                    // U+000B is a control
      {"a\xFF\xEF\xBF\xBDz", "a ##z"},  // no UTF-8: dropped as U+FFFD
      {"[MASK][mask] x[SEP]y", "[MASK] [ m ##a ##s ##k ] x [SEP] y"},
      {"ünder世", "un ##d ##e ##r [UNK]"},
      {"hello世界x", "hello [UNK] [UNK] x"},
      {"日ж", "日 ж"},
      {"xЖ", "x ##ж"},
      {std::string(101, 'a'), "[UNK]"},  // more than 100 code points
      {std::string(100, '!') + "a", repeated("! ", 100) + "a"},
      {repeated("ж", 100), "ж" + repeated(" ##ж", 99)},
      {repeated("ж", 101), "[UNK]"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string wanted = "[CLS]" + (expected.empty() ? "" : " " + expected) + " [SEP]";
    EXPECT_EQ(tokens_of(tokenizer->encode(text, 512), tokens), wanted) << text;
  }
}

TEST(ByteBpe, MergesWithinPiecesAsRobertaDoes) {
  const MadeVocabularies made;
  const auto tokenizer = open_tokenizer("byte_bpe", made.roberta());
  const auto tokens = MadeMerges().tokens;
  const Case cases[] = {
      {"", ""},
      {"the the", "t h e Ġthe"},
      {"Hello hello", "H e llo Ġhello"},
      {"sing  ing", "s ing Ġ Ġ ing"},
      {"a  b", "a Ġ Ġ b"},
      {"a   b", "a ĠĠ Ġ b"},
      {"a \n", "a Ġ Ċ"},
      {"we'll'S", "w e ' ll ' S"},
      {"aaaaaa", "aa aa aa"},
      {"in 2024!", "in Ġ2024 !"},
      {"\xC3\xA9\xFF", "Ã© ï ¿ ½"},
      {"a <mask> b<s>", "a <mask> Ġ b <s>"},
      {"<MASK>", "< M A S K >"},
      {"x\xE3\x80\x80 the", "x ã Ģ Ģ Ġthe"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string wanted = "<s>" + (expected.empty() ? "" : " " + expected) + " </s>";
    EXPECT_EQ(tokens_of(tokenizer->encode(text, 512), tokens), wanted) << text;
  }
}

TEST(Tokenizer, CutsATextToTheLengthWithItsBeginAndEnd) {
  const MadeVocabularies made;
  for (const auto& [name, folder] :
       {std::pair{"wordpiece", made.bert()}, {"byte_bpe", made.roberta()}}) {
    const auto tokenizer = open_tokenizer(name, folder);
    const TokenIds whole = tokenizer->encode("a b c d e f", 512);
    ASSERT_GE(whole.size(), 8U);
    EXPECT_EQ(tokenizer->encode("a b c d e f", whole.size()), whole);
    TokenIds cut = tokenizer->encode("a b c d e f", 5);
    ASSERT_EQ(cut.size(), 5U);
    EXPECT_EQ(cut.back(), whole.back());
    EXPECT_TRUE(std::equal(cut.begin(), cut.end() - 1, whole.begin()));
    EXPECT_EQ(tokenizer->encode("a b", 2), (TokenIds{whole.front(), whole.back()}));
    EXPECT_THROW(tokenizer->encode("a", 1), std::logic_error);
  }
}

TEST(Tokenizer, KnowsItsPaddingAndHowManyRowsOfEmbeddingsItNeeds) {
  const MadeVocabularies made;
  const auto wordpiece = open_tokenizer("wordpiece", made.bert() + "/vocab.txt");
  EXPECT_EQ(wordpiece->padding(), 0);
  EXPECT_EQ(wordpiece->vocabulary_size(), std::ssize(test::made_tokens()));
  const auto byte_bpe =
      open_tokenizer("byte_bpe", made.roberta() + "/vocab.json:" + made.roberta() + "/merges.txt");
  EXPECT_EQ(byte_bpe->padding(), 1);
  EXPECT_EQ(byte_bpe->vocabulary_size(), std::ssize(MadeMerges().tokens));
}

TEST(Tokenizer, IsRecognizedByTheFilesOfAModelsFolder) {
  const MadeVocabularies made;
  EXPECT_EQ(tokenizer_of(made.bert()), "wordpiece");
  EXPECT_EQ(tokenizer_of(made.roberta()), "byte_bpe");
  EXPECT_EQ(error_of([&] { tokenizer_of(made.folder.path()); }),
            made.folder.path() +
                ": found the files of none, expected those of one tokenizer: vocab.json and "
                "merges.txt (byte_bpe) or vocab.txt (wordpiece)");
}

TEST(Tokenizer, ReportsWhatIsWrongWithAVocabularyInOneLine) {
  const TemporaryFolder folder;
  const std::string vocab = folder / "vocab.txt";
  const std::string json = folder / "vocab.json";
  const std::string merges = folder / "merges.txt";
  const auto wordpiece = [&](const std::string& text) {
    set_bytes(vocab, text);
    return error_of([&] { open_tokenizer("wordpiece", vocab); });
  };
  EXPECT_EQ(error_of([&] { open_tokenizer("wordpeice", vocab); }),
            "unknown tokenizer 'wordpeice'; did you mean 'wordpiece'?");
  EXPECT_EQ(error_of([&] { open_tokenizer("wordpiece", vocab); }),
            vocab + ": cannot be read: No such file or directory");
  EXPECT_EQ(error_of([&] { open_tokenizer("byte_bpe", json); }),
            json +
                ": found 1 files of a tokenizer, expected for byte_bpe a folder with vocab.json "
                "and merges.txt, or those files separated by ':'");
  EXPECT_EQ(wordpiece("[PAD]\n[UNK]\n[CLS]\n"),
            vocab + ": found no token '[SEP]' among 3, expected a model's vocabulary");
  EXPECT_EQ(wordpiece("[PAD]\na\na\n"), vocab + ":3: found 'a' again; it is in line 2 already");
  EXPECT_EQ(wordpiece("[PAD]\n\xFF\n"),
            vocab + ":2: found bytes that are no UTF-8, expected a token");
  set_bytes(folder / "tokenizer_config.json", R"({"do_lower_case": false})");
  EXPECT_EQ(wordpiece("[PAD]\n"), folder /
                                      "tokenizer_config.json: found do_lower_case false; "
                                      "expected the settings of BERT's uncased models");

  const auto byte_bpe = [&](const std::string& tokens, const std::string& lines) {
    set_bytes(json, tokens);
    set_bytes(merges, lines);
    return error_of([&] { open_tokenizer("byte_bpe", folder.path()); });
  };
  const std::string good = MadeMerges().json();
  set_bytes(folder / "tokenizer_config.json", R"({"add_prefix_space": true})");
  EXPECT_EQ(byte_bpe(good, ""), folder /
                                    "tokenizer_config.json: found add_prefix_space true; expected "
                                    "the settings of RoBERTa's models");
  set_bytes(folder / "tokenizer_config.json", R"({"add_prefix_space": false})");
  EXPECT_EQ(byte_bpe("{\"a\": 1", ""), json + ": is no JSON at its byte 8");
  EXPECT_EQ(byte_bpe("{\"a\": 1, \"a\": 2}", ""), json + ": found the name \"a\" twice");
  EXPECT_EQ(byte_bpe("[1]", ""), json + ": found no JSON object, expected one from tokens to ids");
  EXPECT_EQ(byte_bpe(R"({"a\n": -1})", ""),
            json + R"(: found -1 for "a\n", expected an id: a whole number from 0)");
  EXPECT_EQ(byte_bpe(R"({"a": {}})", ""),
            json + R"(: found object for "a", expected an id: a whole number from 0)");
  EXPECT_EQ(byte_bpe(good, "#version: 0.2\ni n\nt h e\n"),
            merges + ":3: found 3 words, expected two tokens");
  EXPECT_EQ(byte_bpe(good, "i n\ni n\n"), merges + ":2: found the merge of 'i' and 'n' again");
  EXPECT_EQ(byte_bpe(good, "q x\n"),
            merges + ":1: found 'qx', which is no token of the vocabulary");
}

}  // namespace
}  // namespace epochcast::text
