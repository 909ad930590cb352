// CSV (RFC 4180).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast {

using CsvRow = std::vector<std::string>;

/// One line, ended by a line feed; cells are quoted only where they must be.
std::string csv_line(const CsvRow& cells);

/// The rows of a text, one after the other; lines end in LF or CRLF, quoted cells may hold both. An
/// empty line is a row of one empty cell. `text` must outlive the reader.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  /// The next row; false at the end. Throws Error, without file and line, if a quoted cell has
  /// no end or text follows its closing quote.
  bool next(CsvRow& row);

  /// The line, from 1, on which the row of the last next() begins.
  int line() const { return row_line_; }

 private:
  std::string quoted_cell();
  std::string plain_cell();

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int row_line_ = 1;
};

/// Every row of `text`; throws as CsvReader::next.
std::vector<CsvRow> parse_csv(std::string_view text);

/// Which cell of each row has that name in the header.
std::optional<std::size_t> find_column(const CsvRow& header, std::string_view name);

}  // namespace epochcast
