#include "src/base/core/gnuplot_text.hpp"

#include <fmt/format.h>

#include "src/base/core/text.hpp"

namespace epochcast {

std::string gnuplot_quoted(const std::string& text) {
  const auto clean = printable(text);
  if (clean.find('\'') == std::string::npos) {
    return "'" + clean + "'";
  }
  std::string word = "\"";
  for (const char c : clean) {
    const bool special = c == '"' || c == '`' || c == '\\';
    word += special ? fmt::format("\\{:03o}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return word + "\"";
}

}  // namespace epochcast
