#include "src/html/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace epochcast::html {
namespace {

struct Decoded {
  char32_t code = 0;
  std::size_t length = 1;
  bool valid = false;
};

/// The code point at the beginning of `text`, which is not empty (RFC 3629, table 3-7 of Unicode).
Decoded decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) {
    return {lead, 1, true};
  }
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) {
    return {};
  }
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) {
      return {};
    }
    code = (code << 6U) | (byte & 0x3FU);
  }
  const std::array<char32_t, 5> lowest{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool valid = code >= lowest.at(length) && code <= 0x10FFFF && !is_surrogate;
  return valid ? Decoded{code, length, true} : Decoded{};
}

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
    const auto found = decode(text);
    const auto mark = found.length == 1 ? entity(text.front()) : std::string_view();
    if (!found.valid) {
      result += "\xEF\xBF\xBD";
    } else if (is_unseen(found.code)) {
      result += visible(found.code);
    } else if (!mark.empty()) {
      result += mark;
    } else {
      result += text.substr(0, found.length);
    }
    text.remove_prefix(found.length);
  }
  return result;
}

}  // namespace epochcast::html
