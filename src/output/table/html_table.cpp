#include "src/output/table/html_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/output/html/escape.hpp"
#include "src/output/html/page.hpp"

namespace epochcast::table {
namespace {

bool is_number(const Column& column) {
  return column.kind == Column::Kind::number;
}

/// Where a table is too wide, "optimizer.learning_rate" may be broken after its point.
std::string with_breaks(const std::string& escaped) {
  std::string text;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    text += escaped[i];
    const bool before_word = i + 1 < escaped.size() && escaped[i + 1] != ' ';
    text += escaped[i] == '.' && before_word ? "<wbr/>" : "";
  }
  return text;
}

/// A screen reader has no use for a heading without words.
std::string heading_cell(const Column& column) {
  auto text = with_breaks(html::escaped(column.heading.empty() ? column.key : column.heading));
  if (!column.unit.empty()) {
    text += fmt::format(" <span class=\"u\">{}</span>", html::escaped(column.unit));
  }
  return fmt::format("<th scope=\"col\"{}>{}</th>", is_number(column) ? " class=\"n\"" : "", text);
}

/// The first column names the row for a screen reader, if it does name it. A long text may be
/// broken anywhere.
std::string cell_html(const Cell& cell, const Column& column, bool first) {
  constexpr std::size_t longest_line = 32;
  const auto text = html::escaped(cell_text(cell, column));
  if (is_number(column)) {
    return "<td class=\"n\">" + text + "</td>";
  }
  const auto* const breaks = text.size() > longest_line ? " class=\"l\"" : "";
  return first && !text.empty() ? fmt::format("<th scope=\"row\"{}>{}</th>", breaks, text)
                                : fmt::format("<td{}>{}</td>", breaks, text);
}

std::string row_html(const Row& row, const std::vector<Column>& columns) {
  std::string cells;
  for (std::size_t i = 0; i < row.size(); ++i) {
    cells += cell_html(row[i], columns[i], i == 0);
  }
  return "<tr>" + cells + "</tr>\n";
}

}  // namespace

std::string html_table(const Table& table, const std::string& id, std::size_t most_rows) {
  std::string head;
  for (const auto& column : table.columns) {
    head += heading_cell(column);
  }
  std::string rows;
  const auto shown = std::min(most_rows, table.rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    rows += row_html(table.rows[i], table.columns);
  }
  auto notes = table.notes;
  if (shown < table.rows.size()) {
    notes.insert(notes.begin(), fmt::format("the first {} of {} rows", shown, table.rows.size()));
  }
  return fmt::format(
      "<figure id=\"{0}\">\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
      "aria-labelledby=\"{0}-title\">\n<table>\n<caption id=\"{0}-title\">{1}</caption>\n"
      "<thead><tr>{2}</tr></thead>\n<tbody>\n{3}</tbody>\n</table>\n</div>\n{4}</figure>\n",
      id, html::escaped(table.title), head, rows, html::list(notes, "class=\"notes\""));
}

}  // namespace epochcast::table
