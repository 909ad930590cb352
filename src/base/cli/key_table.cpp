#include "src/base/cli/key_table.hpp"

#include <fmt/format.h>

namespace epochcast::cli {

std::string key_table(const std::vector<KeyRow>& rows) {
  std::string text;
  for (const auto& row : rows) {
    const auto unit = row.unit == "1" ? "" : ", " + row.unit;
    const auto allowed = row.allowed.empty() ? "" : fmt::format(", `{}`", row.allowed);
    const auto preset = row.default_value.empty() ? "" : fmt::format(" [`{}`]", row.default_value);
    text += fmt::format("* `{}` ({}{}{}){}: {}\n", row.name, row.type, unit, allowed, preset,
                        row.meaning);
  }
  return text;
}

}  // namespace epochcast::cli
