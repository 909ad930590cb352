// Aligned columns for a terminal: numbers are right-aligned, the words of a heading are stacked.
#include "src/base/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/output/table/fitted.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::table::formats {
namespace text_writer {

std::string padded(const std::string& text, std::size_t width, Column::Kind kind) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return kind == Column::Kind::number ? blanks + text : text + blanks;
}

std::string rows_text(const Table& table) {
  auto grid = stacked_headings(table);
  const auto heading_height = grid.size();
  for (const auto& row : table.rows) {
    grid.push_back(row_texts(table, row, [](const Cell& cell, const Column& column) {
      return printable(cell_text(cell, column));
    }));
  }
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& line : grid) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(line[i]));
    }
  }
  std::string text;
  for (std::size_t row = 0; row < grid.size(); ++row) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      line += (i == 0 ? "" : "  ") + padded(grid[row][i], widths[i], table.columns[i].kind);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (row + 1 == heading_height) {
      text += std::string(std::max(display_width(line), std::size_t{1}), '-') + "\n";
    }
  }
  return text;
}

/// A note as a list item; a line that is too long is broken between words.
std::string note_text(const std::string& note) {
  constexpr std::size_t widest = 110;
  std::string text;
  for (const auto& line : wrapped(printable(note), widest - 2)) {
    text += (text.empty() ? "* " : "  ") + line + "\n";
  }
  return text;
}

std::string write(const std::vector<Table>& tables) {
  std::string text;
  for (const auto& table : tables) {
    text +=
        fmt::format("{}{}\n{}", text.empty() ? "" : "\n", printable(table.title), rows_text(table));
    for (const auto& note : table.notes) {
      text += note_text(note);
    }
  }
  return text;
}

}  // namespace text_writer

FormatSpec text() {
  return {.summary = "aligned columns for a terminal",
          .suffix = "txt",
          .for_readers = true,
          .write = text_writer::write};
}

}  // namespace epochcast::table::formats
