// Rows that are being written to both files of a record; they are kept here until both files have
// them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/record/h5.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/record_file.hpp"

namespace epochcast::record {

/// The most by which a chunk of a table may be larger than the rows that are added to it.
inline constexpr std::size_t spare_bytes = 32768;

/// The rows of one table that are not safely in both files yet.
template <class Row>
class PendingRows {
 public:
  PendingRows(const RecordTable<Row>& table, h5::File& file)
      : name_(table.name), file_table_(create_record_table(file, table)) {}

  void append(const Row& row) { rows_.push_back(row); }
  /// Appends the rows that are not JSON lines yet to `lines`.
  void append_lines(std::string& lines) {
    for (; in_lines_ < rows_.size(); ++in_lines_) {
      append_line(lines, name_, rows_[in_lines_]);
    }
  }
  /// The bytes by which write() may extend the file: the rows and the rest of the last chunk.
  std::size_t room_bytes() const {
    return rows_.empty() ? 0 : rows_.size() * sizeof(Row) + spare_bytes;
  }
  /// May be repeated until confirm(): it writes the same rows to the same position.
  void write() {
    if (!rows_.empty()) {
      file_table_.write(confirmed_, rows_.data(), rows_.size());
    }
  }
  void confirm() {
    confirmed_ += rows_.size();
    rows_.clear();
    in_lines_ = 0;
  }

 private:
  std::string_view name_;
  h5::Table file_table_;
  std::vector<Row> rows_;
  std::size_t in_lines_ = 0;   ///< Number of rows in rows_ that are lines already.
  std::size_t confirmed_ = 0;  ///< Number of rows in the file before rows_.
};

}  // namespace epochcast::record
