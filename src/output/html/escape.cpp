#include "src/output/html/escape.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "src/base/core/utf8.hpp"

namespace epochcast::html {
namespace {

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
