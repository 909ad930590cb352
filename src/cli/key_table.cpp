#include "src/cli/key_table.hpp"

#include <fmt/format.h>

namespace epochcast::cli {
namespace {

/// A cell of a Markdown table: '|' would end it.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  }
  return escaped;
}

std::string code(std::string_view text) {
  return text.empty() ? "" : "`" + cell(text) + "`";
}

}  // namespace

std::string key_table(const std::vector<KeyRow>& rows) {
  std::string text =
      "| key | type | default | unit | meaning | allowed |\n|---|---|---|---|---|---|\n";
  for (const auto& row : rows) {
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", row.name, row.type,
                        code(row.default_value), row.unit == "1" ? "" : row.unit, cell(row.meaning),
                        code(row.allowed));
  }
  return text;
}

}  // namespace epochcast::cli
