#include "src/output/terminal/grid.hpp"

#include <algorithm>

#include "src/base/core/text.hpp"
#include "src/base/text/unicode.hpp"
#include "src/base/text/utf8.hpp"

namespace epochcast::terminal {
namespace {

/// One character of a printable text with the marks on it.
struct Glyph {
  std::string text;
  int columns = 1;
};

std::vector<Glyph> glyphs_of(std::string_view text) {
  constexpr std::size_t most_bytes = 16;  // a terminal's cell does not hold any number of marks
  const auto clean = printable(text);
  std::vector<Glyph> glyphs;
  for (std::size_t at = 0; at < clean.size();) {
    const auto start = at;
    const auto columns = text::unicode::columns(text::next_code_point(clean, at));
    const auto part = clean.substr(start, at - start);
    if (columns > 0) {
      glyphs.push_back({part, columns});
    } else if (!glyphs.empty() && glyphs.back().text.size() + part.size() <= most_bytes) {
      glyphs.back().text += part;
    }
  }
  return glyphs;
}

int glyphs_width(const std::vector<Glyph>& glyphs) {
  int width = 0;
  for (const auto& glyph : glyphs) {
    width += glyph.columns;
  }
  return width;
}

/// At most `width` columns; what is cut off leaves a mark.
std::vector<Glyph> cut(std::vector<Glyph> glyphs, int width) {
  if (glyphs_width(glyphs) <= width) {
    return glyphs;
  }
  while (!glyphs.empty() && glyphs_width(glyphs) > width - 1) {
    glyphs.pop_back();
  }
  if (width > 0) {
    glyphs.push_back({"…", 1});
  }
  return glyphs;
}

}  // namespace

int columns_of(std::string_view text) {
  return glyphs_width(glyphs_of(text));
}

Grid::Grid(Size size)
    : size_{std::max(0, size.rows), std::max(0, size.columns)},
      cells_(static_cast<std::size_t>(size_.rows) * static_cast<std::size_t>(size_.columns)) {}

Cell* Grid::find(int row, int column) {
  const bool inside = row >= 0 && row < size_.rows && column >= 0 && column < size_.columns;
  return inside ? &cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
                          static_cast<std::size_t>(column)]
                : nullptr;
}

const Cell& Grid::at(int row, int column) const {
  return cells_.at(static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
                   static_cast<std::size_t>(column));
}

int Grid::put(int row, int column, std::string_view text, Style style, int width) {
  for (const auto& glyph : cut(glyphs_of(text), std::min(width, size_.columns - column))) {
    if (auto* cell = find(row, column)) {
      *cell = {glyph.text, style};
    }
    for (int i = 1; i < glyph.columns; ++i) {
      if (auto* cell = find(row, column + i)) {
        *cell = {"", style};
      }
    }
    column += glyph.columns;
  }
  return column;
}

void Grid::put_right(int row, int end, std::string_view text, Style style) {
  put(row, end - columns_of(text), text, style);
}

void Grid::style_row(int row, Style style) {
  for (int column = 0; column < size_.columns; ++column) {
    if (auto* cell = find(row, column)) {
      cell->style = style;
    }
  }
}

std::string Grid::line(int row) const {
  std::string text;
  for (int column = 0; column < size_.columns; ++column) {
    text += at(row, column).text;
  }
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace epochcast::terminal
