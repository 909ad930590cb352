#include "src/base/core/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace epochcast {

std::optional<CodePoint> first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    return CodePoint{first, 1};
  }
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) {
    return std::nullopt;
  }
  char32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return std::nullopt;
    }
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const char32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  const bool valid = code >= least && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return valid ? std::optional(CodePoint{code, bytes}) : std::nullopt;
}

bool is_unseen(char32_t code) {
  constexpr std::array<std::pair<char32_t, char32_t>, 13> ranges{{{0x00, 0x1F},
                                                                  {0x7F, 0x9F},
                                                                  {0xAD, 0xAD},
                                                                  {0x61C, 0x61C},
                                                                  {0x180E, 0x180E},
                                                                  {0x200B, 0x200F},
                                                                  {0x2028, 0x202E},
                                                                  {0x2060, 0x206F},
                                                                  {0xFDD0, 0xFDEF},
                                                                  {0xFEFF, 0xFEFF},
                                                                  {0xFFF9, 0xFFFB},
                                                                  {0xFFFE, 0xFFFF},
                                                                  {0xE0000, 0xE007F}}};
  const bool is_none = (code & 0xFFFEU) == 0xFFFE;
  return is_none || std::ranges::any_of(ranges, [code](const auto& range) {
           return code >= range.first && code <= range.second;
         });
}

}  // namespace epochcast
