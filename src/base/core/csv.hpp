// Reads and writes CSV (RFC 4180).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast {

using CsvRow = std::vector<std::string>;

/// One line that ends in a line feed. Cells are quoted only if necessary.
std::string csv_line(const CsvRow& cells);

/// Reads the rows of a text one after the other. Lines end in LF or CRLF; quoted cells may contain
/// both. An empty line is a row of one empty cell. `text` must outlive the reader.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  /// Reads the next row; returns false at the end. Throws Error, without file and line, if a quoted
  /// cell has no end or if text follows its closing quote.
  bool next(CsvRow& row);

  /// The line, from 1, on which the most recently read row begins.
  int line() const { return row_line_; }

 private:
  std::string quoted_cell();
  std::string plain_cell();

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int row_line_ = 1;
};

/// All rows of `text`. Throws like CsvReader::next.
std::vector<CsvRow> parse_csv(std::string_view text);

/// The index of the column `name` in the header; std::nullopt if there is none.
std::optional<std::size_t> find_column(const CsvRow& header, std::string_view name);

}  // namespace epochcast
