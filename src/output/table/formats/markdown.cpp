// Markdown tables for GitHub and pandoc.
#include <fmt/format.h>

#include "src/base/core/text.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::table::formats {
namespace markdown_writer {

std::string escaped(std::string_view text) {
  constexpr std::string_view special = "\\`*_{}[]<>#|~&";
  std::string result;
  for (const char c : printable(text)) {
    result += special.find(c) == std::string_view::npos ? std::string(1, c) : std::string("\\") + c;
  }
  return result;
}

std::string markdown_row(const std::vector<std::string>& fields) {
  return "| " + join(fields, " | ") + " |\n";
}

std::string table_text(const Table& table) {
  std::vector<std::string> headings;
  std::vector<std::string> rules;
  for (const auto& column : table.columns) {
    headings.push_back(escaped(column.unit.empty()
                                   ? column.heading
                                   : fmt::format("{} ({})", column.heading, column.unit)));
    rules.emplace_back(column.kind == Column::Kind::number ? "---:" : ":---");
  }
  auto text =
      fmt::format("## {}\n\n", escaped(table.title)) + markdown_row(headings) + markdown_row(rules);
  for (const auto& row : table.rows) {
    text += markdown_row(row_texts(table, row, [](const Cell& cell, const Column& column) {
      return escaped(cell_text(cell, column));
    }));
  }
  return text;
}

std::string write(const std::vector<Table>& tables) {
  std::string text;
  for (const auto& table : tables) {
    text += (text.empty() ? "" : "\n") + table_text(table);
    for (const auto& note : table.notes) {
      text += fmt::format("{}- {}\n", &note == table.notes.data() ? "\n" : "", escaped(note));
    }
  }
  return text;
}

}  // namespace markdown_writer

FormatSpec markdown() {
  return {.summary = "Markdown tables",
          .suffix = "md",
          .for_readers = true,
          .write = markdown_writer::write};
}

}  // namespace epochcast::table::formats
