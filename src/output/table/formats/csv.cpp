// RFC 4180, so that read_csv needs no options: one header line with units in the names, an empty
// field for an unknown value, no comments. A file contains one table. Text is that of
// spreadsheet_text().
#include "src/base/core/lists.hpp"
#include "src/base/core/spreadsheet.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::table::formats {
namespace csv_writer {

std::string quoted(const std::string& cell) {
  const auto text = spreadsheet_text(cell);
  if (text.find_first_of(",\"\r\n") == std::string::npos && trim(text) == text) {
    return text;
  }
  std::string field = "\"";
  for (const char c : text) {
    field += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return field + "\"";
}

std::string field_of(const Cell& cell, const Column& column) {
  const auto* number = std::get_if<double>(&cell);
  return number != nullptr ? number_text(*number, column) : quoted(cell_text(cell, column));
}

std::string write(const std::vector<Table>& tables) {
  std::string text;
  for (const auto& table : tables) {
    const auto fields =
        mapped(table.columns, [](const auto& column) { return quoted(column.key); });
    text += join(fields, ",") + "\r\n";
    for (const auto& row : table.rows) {
      text += join(row_texts(table, row, field_of), ",") + "\r\n";
    }
  }
  return text;
}

}  // namespace csv_writer

FormatSpec csv() {
  return {.summary = "RFC 4180, one table per file, units in the header",
          .suffix = "csv",
          .one_table_a_file = true,
          .write = csv_writer::write};
}

}  // namespace epochcast::table::formats
