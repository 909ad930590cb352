// Makes visible what a terminal would execute or a reader could not see.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/core/text.hpp"

namespace epochcast {
namespace {

/// A code point and its number of bytes.
struct CodePoint {
  char32_t code = 0;
  std::size_t bytes = 1;
};

/// The code point at the start of `text`; std::nullopt if its bytes are not UTF-8 (the Unicode
/// Standard, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
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

/// Line and paragraph separators, and what changes the direction of a text (UAX #9) or is invisible
/// in it.
bool misleads(char32_t code) {
  return (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x2069) || code == 0x061C || code == 0xFEFF;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const auto found = first_code_point(text);
    const auto bytes = found ? found->bytes : 1;
    const auto code = found ? found->code : static_cast<unsigned char>(text.front());
    if (code == '\n') {
      line += "\\n";
    } else if (!found || code < 0x20 || code == 0x7F) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned>(code));
    } else if ((code > 0x7F && code < 0xA0) || misleads(code)) {
      line += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    } else {
      line += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return line;
}

std::string printable_lines(std::string_view text) {
  std::string lines;
  std::size_t start = 0;  // of what `printable` gets: a part of one line
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool crlf = text.substr(at, 2) == "\r\n";
    if (text[at] == '\n' || text[at] == '\t' || crlf) {
      lines += printable(text.substr(start, at - start)) + text[at];
      start = at + 1;
    }
  }
  return lines + printable(text.substr(start));
}

}  // namespace epochcast
