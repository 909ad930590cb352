// A table as plain data, from which all listings of the programs are made. The formats in
// src/output/table/formats/ decide its appearance; all print numbers with number_text().
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/base/core/statistics.hpp"

namespace epochcast::table {

struct Column {
  enum class Kind { text, number };

  std::string key;        ///< Name for programs, including the unit: "one_epoch_s".
  std::string heading;    ///< Name for readers: "1 epoch".
  std::string unit = {};  ///< "s"; empty for text and counts.
  Kind kind = Kind::text;
  int decimals = 0;          ///< Digits after the point; shortest_exact: as many as needed.
  bool always_sign = false;  ///< Shows "+13.2" in formats for readers.
  /// Of seconds: formats for readers show "1.794s", "845.070ms" or "3.215us".
  bool scaled_time = false;
  /// Formats for readers leave it out unless it is asked for (--wide, --columns).
  bool detail = false;
};

inline constexpr int shortest_exact = -1;

/// Empty (the value is unknown), text or a number.
using Cell = std::variant<std::monostate, std::string, double>;
using Row = std::vector<Cell>;

struct Table {
  std::string name;  ///< One word, for file names and `--part`: "gpu_ratios".
  std::string title;
  std::vector<Column> columns;
  std::vector<Row> rows = {};  ///< Each as long as `columns`.
  std::vector<std::string> notes = {};
  bool lists_excluded = false;  ///< What the other tables beside it leave out, with the reason.
};

/// The number as shown in CSV and in all formats for readers, independent of the user's locale:
/// rounded to the decimals of the column. A number above 0 that would be shown as 0.000 gets three
/// significant digits instead, except in percent.
std::string number_text(double value, const Column& column);

/// Seconds in the unit that fits, with three digits after the point, as PyTorch's profiler prints
/// them: "1.794s", "845.070ms", "3.215us".
std::string scaled_time_text(double seconds);

/// The cell as shown to readers: number_text with its sign, or scaled_time_text; text unchanged, an
/// empty cell as "".
std::string cell_text(const Cell& cell, const Column& column);

Column text_column(std::string key, std::string heading);
Column number_column(std::string key, std::string heading, std::string unit, int decimals);
/// Seconds, which readers see as scaled_time_text.
Column scaled_time_column(std::string key, std::string heading);

/// Adds a note below the table, unless the note is empty or already there.
void add_note(Table& table, const std::string& note);

std::vector<std::string> keys_of(const std::vector<Column>& columns);

/// Empty for an empty text.
Cell text_cell(const std::string& text);
/// Empty for a number that is not known: NaN.
Cell known_cell(double value);
/// Empty for NaN and infinity.
Cell finite_cell(double value);
/// Empty unless the number is above 0.
Cell positive_cell(double value);
/// Empty unless `of` is above 0.
Cell ratio_cell(double part, double of);
Cell percent_cell(double part, double of);
/// The median; empty if there are no values.
Cell median_cell(const std::optional<Summary>& summary);
/// The spread; empty unless there are several values.
Cell spread_cell(const std::optional<Summary>& summary);

}  // namespace epochcast::table
