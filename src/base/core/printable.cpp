// Makes visible what a terminal would execute or a reader could not see.
#include <fmt/format.h>

#include "src/base/core/text.hpp"
#include "src/base/core/utf8.hpp"

namespace epochcast {
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
    } else if (is_unseen(code)) {
      const auto number = static_cast<unsigned>(code);
      line += code < 0x10000 ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
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
