// Text of a fixed size inside a row, so that rows are plain memory and need no pointers in the
// file.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

namespace epochcast::record {

/// At most N bytes of UTF-8, padded with NUL. Longer text is cut between two characters and ends in
/// "...".
template <std::size_t N>
struct FixedText {
  std::array<char, N> chars;

  FixedText() : chars{} {}
  FixedText(std::string_view text) : chars{} {  // NOLINT: rows are filled from text everywhere
    if (text.size() <= N) {
      std::copy(text.begin(), text.end(), chars.begin());
      return;
    }
    std::size_t keep = N - 3;
    while (keep > 0 && (static_cast<unsigned char>(text[keep]) & 0xC0) == 0x80) {
      --keep;
    }
    std::copy_n(text.begin(), keep, chars.begin());
    std::copy_n("...", 3, chars.begin() + keep);
  }
  FixedText(const std::string& text) : FixedText(std::string_view(text)) {}  // NOLINT
  FixedText(const char* text) : FixedText(std::string_view(text)) {}         // NOLINT

  std::string_view view() const { return {chars.data(), strnlen(chars.data(), N)}; }
  std::string str() const { return std::string(view()); }
  bool operator==(const FixedText& other) const { return view() == other.view(); }
};

}  // namespace epochcast::record
