// Texts made to be awkward, repeatable by their seed: what people type, what attackers send, and
// bytes that are no text.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <utility>

#include "src/base/text/utf8.hpp"

namespace epochcast::text::test {

class HostileTexts {
 public:
  explicit HostileTexts(std::uint64_t seed) : random_(seed) {}

  /// Up to `parts` parts, each of another kind.
  std::string next(std::size_t parts = 24) {
    std::string text;
    for (std::size_t left = below(parts + 1); left > 0; --left) {
      add_part(text);
    }
    return text;
  }

  /// `code_points` (about) of one kind or of all kinds.
  std::string long_one(std::size_t code_points) {
    std::string text;
    const bool mixed = below(2) == 0;
    const auto range = ranges[below(std::size(ranges))];
    for (std::size_t i = 0; i < code_points; ++i) {
      if (mixed) {
        append_utf8(one_of(ranges[below(std::size(ranges))]), text);
      } else {
        append_utf8(one_of(range), text);
      }
    }
    return text;
  }

  std::size_t below(std::size_t count) { return std::size_t(random_() % count); }

 private:
  struct Range {
    char32_t first;
    char32_t last;
  };

  // Most are there for a rule: see bert_words.hpp and gpt2_pieces.hpp.
  static constexpr Range ranges[] = {
      {0x20, 0x7E},       {0x61, 0x7A},       {0x41, 0x5A},       {0x30, 0x39},
      {0x00, 0x1F},       {0x7F, 0xA0},       {0xA1, 0xFF},       {0x100, 0x24F},
      {0x130, 0x131},     {0x300, 0x36F},     {0x370, 0x3FF},     {0x3C2, 0x3C3},
      {0x400, 0x4FF},     {0x530, 0x58F},     {0x591, 0x5F4},     {0x600, 0x6FF},
      {0x700, 0x8FF},     {0x900, 0xDFF},     {0xE00, 0xFFF},     {0x1000, 0x10FF},
      {0x1100, 0x11FF},   {0x1680, 0x180E},   {0x1AB0, 0x1AFF},   {0x1B00, 0x1BFF},
      {0x1C80, 0x1CBF},   {0x1DC0, 0x1DFF},   {0x1E00, 0x1FFF},   {0x2000, 0x200F},
      {0x2010, 0x205F},   {0x2060, 0x206F},   {0x2070, 0x20CF},   {0x20D0, 0x20FF},
      {0x2100, 0x218F},   {0x2190, 0x2BFF},   {0x2C00, 0x2E7F},   {0x2FF0, 0x303F},
      {0x3040, 0x30FF},   {0x33FE, 0x3401},   {0x4DB0, 0x4E05},   {0x4E00, 0x9FFF},
      {0x9FF0, 0xA4CF},   {0xA640, 0xA7FF},   {0xA800, 0xABFF},   {0xAC00, 0xD7FF},
      {0xE000, 0xF8FF},   {0xF8FE, 0xFAFF},   {0xFB00, 0xFDFF},   {0xFE00, 0xFE0F},
      {0xFE10, 0xFFEF},   {0xFFF0, 0xFFFF},   {0x10000, 0x10FFF}, {0x11000, 0x11FFF},
      {0x12000, 0x1CFFF}, {0x1D000, 0x1D1FF}, {0x1D400, 0x1D7FF}, {0x1E000, 0x1EFFF},
      {0x1F000, 0x1F9FF}, {0x1F3FB, 0x1F3FF}, {0x1FA00, 0x1FBFF}, {0x1FFFE, 0x20005},
      {0x2A6D0, 0x2A710}, {0x2B730, 0x2B930}, {0x2CEA0, 0x2EBFF}, {0x2F7F0, 0x2FA20},
      {0x30000, 0x323AF}, {0xE0000, 0xE01FF}, {0xF0000, 0x10FFFF}};

  static constexpr const char* fragments[] = {"[CLS]",
                                              "[SEP]",
                                              "[MASK]",
                                              "[UNK]",
                                              "[PAD]",
                                              "[cls]",
                                              "[MASK",
                                              "##ing",
                                              "[",
                                              "<s>",
                                              "</s>",
                                              "<mask>",
                                              "<pad>",
                                              "<unk>",
                                              "<MASK>",
                                              "  <mask>",
                                              "\t<mask>",
                                              "<",
                                              "'s",
                                              "'t",
                                              "'re",
                                              "'ve",
                                              "'m",
                                              "'ll",
                                              "'d",
                                              "'S",
                                              "''ll",
                                              " 's",
                                              "don't",
                                              "the",
                                              " the",
                                              "HELLO",
                                              "running",
                                              "  ",
                                              "\n\n",
                                              " \t ",
                                              "\r\n",
                                              "\xE2\x80\x8D",
                                              "\xEF\xB8\x8F",
                                              "\xEF\xBF\xBD",
                                              "e\xCC\x81",
                                              "\xCC\x81",
                                              "A\xCC\x8A",
                                              "\xED\x95\x9C\xEA\xB8\x80",
                                              "\xE4\xB8\xAD\xE6\x96\x87",
                                              "#hash",
                                              "@user",
                                              "&amp;",
                                              "&#128514;",
                                              "https://t.co/x",
                                              "2024",
                                              "3.14",
                                              "\xC2\xBD",
                                              "\xE2\x85\xA7",
                                              "\xE2\x82\xAC"};

  // Cut off, overlong, surrogates, above U+10FFFF, bytes that never occur.
  static constexpr const char* broken[] = {"\x80",
                                           "\xBF\xBF",
                                           "\xC0\xAF",
                                           "\xC1\xBF",
                                           "\xC3",
                                           "\xE2\x82",
                                           "\xE0\x80\xAF",
                                           "\xE0\x9F\xBF",
                                           "\xED\xA0\x80",
                                           "\xED\xBF\xBF",
                                           "\xF0\x9F\x98",
                                           "\xF0\x80\x80\xAF",
                                           "\xF0\x8F\xBF\xBF",
                                           "\xF4\x90\x80\x80",
                                           "\xF5\x80\x80\x80",
                                           "\xF8\x88\x80\x80\x80",
                                           "\xFE",
                                           "\xFF",
                                           "\xE2(\xA1"};

  char32_t one_of(Range range) {
    const auto code = char32_t(range.first + below(range.last - range.first + 1));
    return code >= 0xD800 && code <= 0xDFFF ? replacement_character : code;
  }

  void add_part(std::string& text) {
    switch (below(6)) {
      case 0:
        text += fragments[below(std::size(fragments))];
        break;
      case 1:
        text += broken[below(std::size(broken))];
        break;
      case 2:
        text += char(below(256));
        break;
      case 3: {  // about the length from which a word is unknown
        const auto range = ranges[below(std::size(ranges))];
        for (auto left = below(16) == 0 ? 96 + below(8) : below(6); left > 0; --left) {
          append_utf8(one_of(range), text);
        }
        break;
      }
      default:
        append_utf8(one_of(ranges[below(std::size(ranges))]), text);
        break;
    }
    if (below(4) == 0) {
      text += ' ';
    }
  }

  std::mt19937_64 random_;
};

}  // namespace epochcast::text::test
