// The lines of `sacct -P` as rows of cells, whatever the columns, their order and the separator
// are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::slurm {

/// The columns that a header line names.
class AccountingHeader {
 public:
  /// Throws Error (FILE:LINE) unless the line names columns of sacct.
  AccountingHeader(std::string_view line, const std::string& file, int number);

  bool has(const std::string& column) const { return places_.contains(column); }
  /// The cell of the first of `columns` that exists and is not blank; otherwise "".
  std::string_view cell(const std::vector<std::string_view>& cells,
                        const std::vector<std::string>& columns) const;

  /// The cells of a line. Where a text, such as a job name, contains the separator, the line has
  /// too many: they are joined in the one way in which all other cells have the form of their
  /// column. std::nullopt if there are too few cells, or not exactly one such way.
  std::optional<std::vector<std::string_view>> cells_of(std::string_view line) const;

  /// Whether a line has fewer cells than columns: a text contains a line break.
  bool is_too_short(std::string_view line) const;
  /// Whether the last column holds a text, which may continue on the next line.
  bool ends_with_text() const;
  /// Whether the line begins as a row does, with a job's number.
  bool begins_a_row(std::string_view line) const;

 private:
  std::vector<std::string_view> split(std::string_view line) const;
  bool is_plausible(const std::vector<std::string_view>& cells) const;
  void join_surplus(const std::vector<std::string_view>& parts, std::size_t column,
                    std::size_t part, std::vector<std::string_view>& cells,
                    std::vector<std::vector<std::string_view>>& found, int& steps) const;

  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::string separator_;
  bool ends_with_separator_ = false;  ///< --parsable
};

/// One row, and the line on which it begins.
struct AccountingRow {
  std::vector<std::string_view> cells;
  int line = 0;
};

/// Reads the rows below the header one after the other.
class AccountingReader {
 public:
  /// `text` must outlive the reader. Throws Error if there is no header.
  AccountingReader(std::string_view text, const std::string& file);

  const AccountingHeader& header() const { return *header_; }
  /// Reads the next row; returns false at the end. A line that is no row is left out; `problem`
  /// gets "FILE:LINE: ..." once per such line.
  bool next(AccountingRow& row, std::vector<std::string>& problems);

 private:
  std::string_view take_line();
  std::string_view longer(std::string_view line);
  std::string_view with_rest_of_text(std::string_view line);

  std::string file_;
  std::string_view rest_;
  int line_ = 0;
  std::optional<AccountingHeader> header_;
};

}  // namespace epochcast::slurm
