// A CSV file with a header line; cells are found by the name of their column.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/base/core/csv.hpp"

namespace epochcast {

class CsvFile {
 public:
  /// Reads the file, gzip-compressed or not. Throws Error if it cannot be read or has no header,
  /// and (with FILE:LINE) if a quoted cell has no end or if a row and the header have different
  /// numbers of cells.
  static CsvFile read(const std::string& path);

  const std::string& path() const { return path_; }
  std::size_t rows() const { return rows_.size(); }
  bool has(const std::string& column) const { return columns_.contains(column); }
  /// Throws Error, with the nearest existing name, unless all `columns` exist.
  void require(const std::vector<std::string>& columns) const;

  /// The cell; "" if the file has no such column.
  const std::string& text(std::size_t row, const std::string& column) const;
  /// The cell as a number; std::nullopt if it is empty, infinite or not a number.
  std::optional<double> number(std::size_t row, const std::string& column) const;
  /// "FILE:LINE", for messages.
  std::string place(std::size_t row) const;

 private:
  std::string path_;
  std::map<std::string, std::size_t> columns_;
  std::vector<CsvRow> rows_;
  std::vector<int> lines_;  ///< The line on which each row begins: a quoted cell may span several.
};

/// Counts the rows of a file that could not be used and names the first of them.
class ExcludedRows {
 public:
  void add(const std::string& place, const std::string& why);
  std::size_t count() const { return count_; }
  /// "3 rows left out; the first: FILE:7: dur_s: found '-1', expected seconds above 0";
  /// std::nullopt if there are none.
  std::optional<std::string> note() const;

 private:
  std::size_t count_ = 0;
  std::string first_;
};

/// The cell if it is a number above 0; otherwise std::nullopt, and the row is added to `excluded`.
std::optional<double> positive(const CsvFile& file, std::size_t row, const std::string& column,
                               ExcludedRows& excluded);

}  // namespace epochcast
