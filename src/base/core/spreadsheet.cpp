#include "src/base/core/spreadsheet.hpp"

#include "src/base/core/text.hpp"

namespace epochcast {
namespace {

/// White space before it does not make a spreadsheet read a formula as text.
bool looks_like_formula(std::string_view text) {
  const auto bare = trim(text);
  return !bare.empty() && std::string_view("=+-@").find(bare.front()) != std::string_view::npos &&
         !parse_double(bare);
}

}  // namespace

std::string spreadsheet_text(std::string_view text) {
  return std::string(looks_like_formula(text) ? "'" : "") + printable_lines(text);
}

std::string from_spreadsheet(std::string cell) {
  if (cell.starts_with('\'') && looks_like_formula(std::string_view(cell).substr(1))) {
    cell.erase(0, 1);
  }
  return cell;
}

}  // namespace epochcast
