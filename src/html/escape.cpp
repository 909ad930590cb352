#include "src/html/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "src/core/utf8.hpp"

namespace epochcast::html {
namespace {

/// Controls, characters without width, those that reorder text, and those that are none.
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

std::string visible(char32_t code) {
  if (code == '\n') {
    return "\\n";
  }
  const auto number = static_cast<std::uint32_t>(code);
  return code < 0x100     ? fmt::format("\\x{:02x}", number)
         : code < 0x10000 ? fmt::format("\\u{:04x}", number)
                          : fmt::format("\\U{:08x}", number);
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto found = first_code_point(text);
    const auto bytes = found ? found->bytes : 1;
    const auto mark = bytes == 1 ? entity(text.front()) : std::string_view();
    if (!found) {
      result += "\xEF\xBF\xBD";
    } else if (is_unseen(found->code)) {
      result += visible(found->code);
    } else if (!mark.empty()) {
      result += mark;
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return result;
}

}  // namespace epochcast::html
