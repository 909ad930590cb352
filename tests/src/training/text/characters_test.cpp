// What tokens depend on besides the vocabulary, counted over all code points: a newer utf8proc that
// changes a rule shows here, also where no Python is. The ids of a new version must then be held
// against the package again (EPOCHCAST_LONG=1, parity_test.cpp).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "src/base/core/text.hpp"
#include "src/base/text/utf8.hpp"
#include "src/training/text/bert_characters.hpp"
#include "src/training/text/bert_words.hpp"
#include "src/training/text/gpt2_pieces.hpp"

namespace epochcast::text {
namespace {

template <class Visit>
void for_each_code_point(char32_t end, Visit&& visit) {
  for (char32_t code = 0; code < end; ++code) {
    if (code < 0xD800 || code > 0xDFFF) {
      visit(code);
    }
  }
}

TEST(Characters, AreOfTheKindsThatTokenizersKnows) {
  int controls = 0;
  int marks = 0;
  int punctuation = 0;
  int ideographs = 0;
  for_each_code_point(0x110000, [&](char32_t code) {
    controls += bert::is_control(code) ? 1 : 0;
    marks += bert::is_nonspacing_mark(code) ? 1 : 0;
    punctuation += bert::is_punctuation(code) ? 1 : 0;
    ideographs += bert::is_ideograph(code) ? 1 : 0;
  });
  EXPECT_EQ(controls, 137'680);
  EXPECT_EQ(marks, 1'567);
  EXPECT_EQ(punctuation, 726);
  EXPECT_EQ(ideographs, 81'264);
}

TEST(Characters, PartWordsAndPiecesAsTheyDid) {
  std::string words;
  std::string pieces;
  for_each_code_point(0x20000, [&](char32_t code) {
    std::string text = "A";
    append_utf8(code, text);
    text +=
        "\xCC\xA3"
        "1";  // U+0323, a mark
    for_each_bert_word(text, [&](std::string_view word, std::size_t) {
      words += word;
      words += ' ';
    });
    pieces += char('0' + first_gpt2_piece(text));
    pieces += char('0' + first_gpt2_piece(std::string_view(text).substr(1)));
  });
  EXPECT_EQ(fnv1a(words), 331528513968737328U);
  EXPECT_EQ(fnv1a(pieces), 12263933858713848274U);
}

}  // namespace
}  // namespace epochcast::text
