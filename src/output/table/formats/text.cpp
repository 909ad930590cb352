// Aligned columns for a terminal: numbers are right-aligned, the words of a heading are stacked.
#include "src/base/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/output/table/fitted.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::table::formats {
namespace {

std::string padded(const std::string& text, std::size_t width, Column::Kind kind) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return kind == Column::Kind::number ? blanks + text : text + blanks;
}

/// The lines of a column heading; its unit is the last line.
std::vector<std::string> heading_lines(const Column& column) {
  auto lines = split(printable(column.heading), ' ');
  if (!column.unit.empty()) {
    lines.push_back(printable(column.unit));
  }
  return lines;
}

/// A grid of text: the lines of the headings (aligned at the bottom), then the rows.
std::vector<std::vector<std::string>> grid_of(const Table& table, std::size_t heading_height) {
  std::vector<std::vector<std::string>> grid(heading_height);
  for (const auto& column : table.columns) {
    const auto lines = heading_lines(column);
    for (std::size_t i = 0; i < heading_height; ++i) {
      const auto blank = heading_height - lines.size();
      grid[i].push_back(i < blank ? "" : lines[i - blank]);
    }
  }
  for (const auto& row : table.rows) {
    auto& line = grid.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      line.push_back(printable(cell_text(row[i], table.columns[i])));
    }
  }
  return grid;
}

std::string rows_text(const Table& table) {
  std::size_t heading_height = 0;
  for (const auto& column : table.columns) {
    heading_height = std::max(heading_height, heading_lines(column).size());
  }
  const auto grid = grid_of(table, heading_height);
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

}  // namespace

FormatSpec text() {
  return {.summary = "aligned columns for a terminal",
          .suffix = "txt",
          .for_readers = true,
          .write = write};
}

}  // namespace epochcast::table::formats
