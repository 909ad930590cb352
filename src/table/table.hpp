// A table as plain data: what every listing of the programs is made of. How it looks is decided in
// src/table/formats/, which all print a number through number_text().
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/core/statistics.hpp"

namespace epochcast::table {

struct Column {
  enum class Kind { text, number };

  std::string key;        ///< Name for programs, its unit in it: "one_epoch_s".
  std::string heading;    ///< Name for people: "1 epoch".
  std::string unit = {};  ///< "s"; empty for text and counts.
  Kind kind = Kind::text;
  int decimals = 0;          ///< Digits after the point; shortest_exact: as many as the number has.
  bool always_sign = false;  ///< "+13.2" where people read it.
};

inline constexpr int shortest_exact = -1;

/// Nothing (the value is not known), text or a number.
using Cell = std::variant<std::monostate, std::string, double>;
using Row = std::vector<Cell>;

/// How a table looks as a picture: lines through the rows.
struct Plot {
  std::string x;                      ///< Key of a column of numbers.
  std::vector<std::string> y;         ///< Keys of columns of numbers of one unit: a line each.
  std::vector<std::string> lines_by;  ///< Keys of columns: rows that differ there are lines of
                                      ///< their own.
  bool log_x = true;
  bool log_y = true;
  bool ideal = false;  ///< With the line on which y is x.
};

struct Table {
  std::string name;  ///< One word, for file names and `--part`: "gpu_ratios".
  std::string title;
  std::vector<Column> columns;
  std::vector<Row> rows = {};  ///< Each as long as `columns`.
  std::vector<std::string> notes = {};
  std::optional<Plot> plot = {};  ///< Nothing: there is nothing to see in it.
};

/// The number as every format for people and CSV shows it, never in the user's locale: rounded to
/// the column's decimals; three digits of one above 0 that would be shown as 0.000, but for shares.
std::string number_text(double value, const Column& column);

/// The cell as a person reads it: number_text with its sign, text as it is, nothing as "".
std::string cell_text(const Cell& cell, const Column& column);

Column text_column(std::string key, std::string heading);
Column number_column(std::string key, std::string heading, std::string unit, int decimals);

/// Adds a note under the table that says something, and nothing that is said there already.
void add_note(Table& table, const std::string& note);

std::vector<std::string> keys_of(const std::vector<Column>& columns);

/// A cell of an optional value.
Cell cell_of(const std::optional<double>& value);
/// The median; nothing if there are no values.
Cell median_cell(const std::optional<Summary>& summary);
/// The spread; nothing if there are not several values.
Cell spread_cell(const std::optional<Summary>& summary);

/// `first`, a column for each attribute in `by`, and the rest.
std::vector<Column> columns_by(Column first, const std::vector<std::string>& by,
                               const std::vector<Column>& rest);
/// A row of such columns, or its beginning.
Row row_by(Cell first, const std::vector<std::string>& by_values, const Row& rest);

}  // namespace epochcast::table
