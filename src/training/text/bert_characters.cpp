#include "src/training/text/bert_characters.hpp"

#include <cstdint>

#include "src/base/text/code_ranges.hpp"
#include "src/base/text/unicode.hpp"

namespace epochcast::text::bert {
namespace {

using unicode::Category;

// The ranges in which the tables of tokenizers 0.23.3 follow a different Unicode version than
// utf8proc 2.8 (Unicode 15.0). They were found by querying tokenizers for every code point. Its
// categories come from the crate unicode_categories (about Unicode 8): it does not classify
// characters that were assigned later as control, mark or punctuation. A range may include code
// points of other categories, because it only removes a property: a code point between two of these
// that a newer utf8proc classifies is also new.
constexpr CodeRange no_control[] = {{0x890, 0x8E2}, {0x110CD, 0x1343F}};

constexpr CodeRange no_mark[] = {
    {0x7FD, 0x7FD},     {0x898, 0x8E1},     {0x9FE, 0x9FE},     {0xAFA, 0xAFF},
    {0xB55, 0xB55},     {0xC04, 0xC3C},     {0xD00, 0xD00},     {0xD3B, 0xD3C},
    {0xD81, 0xD81},     {0xEBA, 0xEBA},     {0xECE, 0xECE},     {0x180F, 0x1886},
    {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFB},   {0xA82C, 0xA82C},   {0xA8C5, 0xA8C5},
    {0xA8FF, 0xA8FF},   {0xA9BD, 0xA9BD},   {0x10D24, 0x10F85}, {0x11070, 0x11074},
    {0x110C2, 0x110C2}, {0x111C9, 0x111C9}, {0x111CF, 0x111CF}, {0x1123E, 0x11241},
    {0x1133B, 0x1133B}, {0x11438, 0x1145E}, {0x1182F, 0x13455}, {0x16F4F, 0x16F4F},
    {0x16FE4, 0x16FE4}, {0x1CF00, 0x1CF46}, {0x1E000, 0x1E4EF}, {0x1E944, 0x1E94A}};
constexpr char32_t once_a_mark = 0x1734;

constexpr CodeRange no_punctuation[] = {{0x61D, 0x61D},     {0x9FD, 0xA76},     {0xC77, 0xC84},
                                        {0x1B7D, 0x1B7E},   {0x2E43, 0x2E5D},   {0x10EAD, 0x10F89},
                                        {0x1144B, 0x1145D}, {0x11660, 0x116B9}, {0x1183B, 0x11FFF},
                                        {0x12FF1, 0x12FF2}, {0x16E97, 0x16FE2}, {0x1E95E, 0x1E95F}};
constexpr CodeRange once_punctuation[] = {{0x166D, 0x166D}, {0x111C9, 0x111C9}};

// The decomposition and the order of marks in tokenizers follow Unicode 9.
constexpr CodeRange no_class[] = {{0x7FD, 0x7FD},     {0x898, 0x8D3},     {0x9FE, 0x9FE},
                                  {0xC3C, 0xC3C},     {0xD3B, 0xD3C},     {0xEBA, 0xEBA},
                                  {0x1715, 0x1715},   {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFA},
                                  {0xA82C, 0xA82C},   {0x10D24, 0x10F85}, {0x11070, 0x11070},
                                  {0x1133B, 0x1133B}, {0x1145E, 0x1145E}, {0x11839, 0x11A99},
                                  {0x11D42, 0x11F42}, {0x16FF0, 0x16FF1}, {0x1E08F, 0x1E4EF}};
constexpr char32_t once_whole = 0x11938;

// The lower-case table of tokenizers follows Unicode 17, so it has letters that utf8proc lacks.
// `capitals` is the range of the capital letters, every `step`-th code point; `to_small` is the
// offset of the small letters.
struct NewCapitals {
  CodeRange capitals;
  char32_t step;
  std::int32_t to_small;
};
constexpr NewCapitals new_capitals[] = {
    {{0x1C89, 0x1C89}, 1, 1},      {{0xA7CB, 0xA7CB}, 1, 0x264 - 0xA7CB},
    {{0xA7CC, 0xA7CE}, 2, 1},      {{0xA7D2, 0xA7D4}, 2, 1},
    {{0xA7DA, 0xA7DA}, 1, 1},      {{0xA7DC, 0xA7DC}, 1, 0x19B - 0xA7DC},
    {{0x10D50, 0x10D65}, 1, 0x20}, {{0x16EA0, 0x16EB8}, 1, 0x1B}};

}  // namespace

bool is_control(char32_t code) {
  return code != '\t' && code != '\n' && code != '\r' &&
         unicode::category(code) == Category::control && !in_ranges(no_control, code);
}

bool is_nonspacing_mark(char32_t code) {
  return (unicode::category(code) == Category::nonspacing_mark && !in_ranges(no_mark, code)) ||
         code == once_a_mark;
}

bool is_punctuation(char32_t code) {
  const bool ascii_sign = (code >= 33 && code <= 47) || (code >= 58 && code <= 64) ||
                          (code >= 91 && code <= 96) || (code >= 123 && code <= 126);
  return ascii_sign || in_ranges(once_punctuation, code) ||
         (unicode::category(code) == Category::punctuation && !in_ranges(no_punctuation, code));
}

bool is_ideograph(char32_t code) {
  // 2B920 is an error in the fast tokenizer; the slow tokenizer has 2B820.
  constexpr CodeRange ideographs[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                      {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F},
                                      {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  return in_ranges(ideographs, code);
}

int combining_class(char32_t code) {
  return in_ranges(no_class, code) ? 0 : unicode::combining_class(code);
}

int decompose(char32_t code, char32_t (&parts)[unicode::max_parts]) {
  if (code == once_whole) {
    parts[0] = code;
    return 1;
  }
  return unicode::decompose(code, parts);
}

char32_t lower_case(char32_t code) {
  for (const auto& [capitals, step, to_small] : new_capitals) {
    if (code >= capitals.first && code <= capitals.last && (code - capitals.first) % step == 0) {
      return char32_t(std::int32_t(code) + to_small);
    }
  }
  return unicode::lower_case(code);
}

}  // namespace epochcast::text::bert
