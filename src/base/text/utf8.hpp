// Converts UTF-8 to code points and back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace epochcast::text {

inline constexpr char32_t replacement_character = U'\uFFFD';

/// Returns `text` itself if it is valid UTF-8. Otherwise returns `mended`, filled with `text` in
/// which U+FFFD replaces each longest sequence that begins a code point and cannot continue. Equals
/// Python's bytes.decode("utf-8", errors="replace") and follows the Unicode Standard's
/// recommendation (section 3.9, "maximal subparts").
std::string_view valid_utf8(std::string_view text, std::string& mended);

/// The code point `at` bytes into valid UTF-8; moves `at` after it.
inline char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return char32_t(static_cast<unsigned char>(text[i])); };
  const char32_t first = byte(at);
  const auto rest = [&](std::size_t i) { return byte(at + i) & 0x3F; };
  if (first < 0x80) {
    ++at;
    return first;
  }
  char32_t code = 0;
  if (first < 0xE0) {
    code = (first & 0x1F) << 6 | rest(1);
    at += 2;
  } else if (first < 0xF0) {
    code = (first & 0x0F) << 12 | rest(1) << 6 | rest(2);
    at += 3;
  } else {
    code = (first & 0x07) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3);
    at += 4;
  }
  return code;
}

/// The start of the code point that ends `end` bytes into valid UTF-8; `end` is above 0.
std::size_t code_point_before(std::string_view text, std::size_t end);

void append_utf8(char32_t code, std::string& text);

}  // namespace epochcast::text
