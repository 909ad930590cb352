#include "src/training/text/gpt2_pieces.hpp"

#include <array>
#include <cstdint>

#include "src/base/text/code_ranges.hpp"
#include "src/base/text/unicode.hpp"
#include "src/base/text/utf8.hpp"

namespace epochcast::text {

namespace {

// Letters and numbers that tokenizers 0.23.3 (Oniguruma, Unicode 16) classifies and utf8proc 2.8
// (Unicode 15.0) does not. They were found by querying tokenizers for every code point.
constexpr CodeRange new_letters[] = {
    {0x1C89, 0x1C8A},   {0xA7CB, 0xA7CD},   {0xA7DA, 0xA7DC},   {0x105C0, 0x105F3},
    {0x10D4A, 0x10D65}, {0x10D6F, 0x10D85}, {0x10EC2, 0x10EC4}, {0x11380, 0x11389},
    {0x1138B, 0x1138B}, {0x1138E, 0x1138E}, {0x11390, 0x113B5}, {0x113B7, 0x113B7},
    {0x113D1, 0x113D1}, {0x113D3, 0x113D3}, {0x11BC0, 0x11BE0}, {0x13460, 0x143FA},
    {0x16100, 0x1611D}, {0x16D40, 0x16D6C}, {0x18CFF, 0x18CFF}, {0x1E5D0, 0x1E5ED},
    {0x1E5F0, 0x1E5F0}, {0x2EBF0, 0x2EE5D}};
constexpr CodeRange new_numbers[] = {{0x10D40, 0x10D49}, {0x116D0, 0x116E3}, {0x11BF0, 0x11BF9},
                                     {0x16130, 0x16139}, {0x16D70, 0x16D79}, {0x1CCF0, 0x1CCF9},
                                     {0x1E5F1, 0x1E5FA}};

enum class PieceKind : std::uint8_t { letter, number, space, other };

PieceKind piece_kind_of(char32_t code) {
  if (unicode::is_white_space(code)) {
    return PieceKind::space;
  }
  switch (unicode::category(code)) {
    case unicode::Category::letter:
      return PieceKind::letter;
    case unicode::Category::number:
      return PieceKind::number;
    default:
      break;
  }
  if (in_ranges(new_letters, code)) {
    return PieceKind::letter;
  }
  return in_ranges(new_numbers, code) ? PieceKind::number : PieceKind::other;
}

std::array<PieceKind, 128> ascii_piece_kinds() {
  std::array<PieceKind, 128> kinds{};
  for (char32_t code = 0; code < kinds.size(); ++code) {
    kinds[code] = piece_kind_of(code);
  }
  return kinds;
}

/// The kind of the code point `at` bytes into `text`; moves `at` after it.
PieceKind next_kind(std::string_view text, std::size_t& at) {
  static const std::array<PieceKind, 128> ascii = ascii_piece_kinds();
  const char32_t code = next_code_point(text, at);
  return code < ascii.size() ? ascii[code] : piece_kind_of(code);
}

/// Number of bytes of the contraction that `text` begins with, or 0.
std::size_t contraction(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(ending)) {
      return ending.size();
    }
  }
  return 0;
}

/// The end of the run of code points of `kind` that continues at `at`.
std::size_t end_of_run(std::string_view text, std::size_t at, PieceKind kind) {
  while (at < text.size()) {
    std::size_t next = at;
    if (next_kind(text, next) != kind) {
      break;
    }
    at = next;
  }
  return at;
}

/// For a text that begins with white space: number of bytes of its first piece. This is the run of
/// white space without its last character, which begins the next piece or is one of its own. It is
/// the whole run if the run ends the text or has only one character.
std::size_t white_space(std::string_view text) {
  const std::size_t end = end_of_run(text, 0, PieceKind::space);
  const std::size_t last = code_point_before(text, end);
  return end < text.size() && last > 0 ? last : end;
}

}  // namespace

std::size_t first_gpt2_piece(std::string_view text) {
  if (const std::size_t bytes = contraction(text); bytes > 0) {
    return bytes;
  }
  std::size_t at = text.front() == ' ' && text.size() > 1 ? 1 : 0;
  const PieceKind kind = next_kind(text, at);
  return kind == PieceKind::space ? white_space(text) : end_of_run(text, at, kind);
}

namespace {

constexpr int bytes = 256;

std::array<char32_t, bytes> make_alphabet() {
  std::array<char32_t, bytes> letters{};
  char32_t next = bytes;
  for (char32_t byte = 0; byte < bytes; ++byte) {
    const bool seen = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174);
    letters[byte] = seen ? byte : next++;
  }
  return letters;
}

const std::array<char32_t, bytes>& alphabet() {
  static const auto letters = make_alphabet();
  return letters;
}

/// The byte of each letter; -1 for other code points. The last letter is that of byte 173.
std::array<int, 2 * std::size_t{bytes}> make_inverse() {
  std::array<int, 2 * std::size_t{bytes}> inverse{};
  inverse.fill(-1);
  for (int byte = 0; byte < bytes; ++byte) {
    inverse[alphabet()[byte]] = byte;
  }
  return inverse;
}

}  // namespace

std::string letters_of(std::string_view bytes_) {
  std::string letters;
  for (const char byte : bytes_) {
    append_utf8(alphabet()[static_cast<unsigned char>(byte)], letters);
  }
  return letters;
}

std::optional<std::string> bytes_of_letters(std::string_view letters) {
  static const auto inverse = make_inverse();
  std::string result;
  for (std::size_t at = 0; at < letters.size();) {
    const char32_t letter = next_code_point(letters, at);
    if (letter >= inverse.size() || inverse[letter] < 0) {
      return std::nullopt;
    }
    result += char(inverse[letter]);
  }
  return result;
}

}  // namespace epochcast::text
