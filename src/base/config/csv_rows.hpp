// A CSV file with one row per struct: the columns are the struct's field table.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/base/config/field_values.hpp"
#include "src/base/core/csv.hpp"
#include "src/base/core/enum_text.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/fields.hpp"

namespace epochcast::run {

/// A cell: bools as yes and no, numbers in their shortest form, NaN (not known) as "".
template <class Value>
std::string cell_of(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value ? "yes" : "no";
  } else if constexpr (std::is_same_v<Value, double>) {
    return std::isnan(value) ? "" : format_shortest(value);
  } else {
    return std::string(to_text(value));
  }
}

/// Read the output of cell_of. Throw Error "found 'x', expected yes or no".
void read_cell(const std::string& cell, bool& value);
/// A number >=0; an empty cell leaves `value` unchanged.
void read_cell(const std::string& cell, double& value);
template <class Value>
void read_cell(const std::string& cell, Value& value) {
  from_text(cell, value);
}
template <class Enum>
void read_cell(const std::string& cell, Enum& value) requires std::is_enum_v<Enum> {
  if (const auto known = parse_enum<Enum>(cell)) {
    value = *known;
    return;
  }
  std::vector<std::string> texts;
  for (const auto& [each, text] : texts_of(Tag<Enum>{})) {
    if (!text.empty()) {
      texts.emplace_back(text);
    }
  }
  const auto last = texts.back();
  texts.pop_back();
  throw Error(fmt::format("found '{}', expected {} or {}", cell, join(texts, ", "), last));
}

/// Reads the rows of a CSV text one after the other; a line with broken quotes is left out.
class CsvLines {
 public:
  /// `damaged` gets "PATH:LINE: ..." for each line that is left out; nullptr: nobody is told.
  CsvLines(std::string path, std::string_view text, std::vector<std::string>* damaged)
      : path_(std::move(path)), rest_(text), damaged_(damaged) {}

  bool next(CsvRow& row);
  /// Reports the row that was read last.
  void note(const Error& error) { note(line_, error); }

 private:
  void note(int line, const Error& error);

  std::string path_;
  std::string_view rest_;
  std::vector<std::string>* damaged_;
  CsvReader reader_{rest_};
  int before_ = 0;  ///< Lines before `rest_`.
  int line_ = 1;
};

/// The rows of a CSV text with a header. Columns are found by name: unknown columns are ignored,
/// and missing columns keep their defaults. A damaged line is omitted; `damaged` receives one
/// message "PATH:LINE: ..." per such line. Throws Error "PATH:1: is not the header of WHAT" if
/// there is no column `key`.
template <class Struct>
std::vector<Struct> rows_of_csv(const std::string& path, std::string_view text,
                                const std::string& key, const std::string& what,
                                std::vector<std::string>* damaged) {
  CsvLines lines(path, text, damaged);
  CsvRow names;
  if (!lines.next(names) || !find_column(names, key)) {
    throw Error(path, 1, fmt::format("is not the header of {}: found no column '{}'", what, key));
  }
  std::vector<std::optional<std::size_t>> columns;
  for_each_field<Struct>(
      [&](const auto& field) { columns.push_back(find_column(names, field.name)); });
  const auto row_of = [&](const CsvRow& cells) {
    if (cells.size() != names.size()) {
      throw Error(fmt::format("found {} cells, expected {}", cells.size(), names.size()));
    }
    Struct row;
    std::size_t place = 0;
    for_each_field<Struct>([&](const auto& field) {
      const auto column = columns[place++];
      if (!column) {
        return;
      }
      try {
        read_cell(cells[*column], row.*field.member);
      } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", field.name, error.what()));
      }
    });
    return row;
  };
  std::vector<Struct> rows;
  for (CsvRow cells; lines.next(cells);) {
    try {
      rows.push_back(row_of(cells));
    } catch (const Error& error) {
      lines.note(error);
    }
  }
  return rows;
}

/// The cells of a row, in the order of the field table.
template <class Struct>
CsvRow cells_of_row(const Struct& row) {
  CsvRow cells;
  for_each_field<Struct>([&](const auto& field) { cells.push_back(cell_of(row.*field.member)); });
  return cells;
}

/// A CSV text with a header and the rows.
template <class Struct>
std::string csv_of_rows(const std::vector<Struct>& rows) {
  auto text = csv_line(field_names<Struct>());
  for (const auto& row : rows) {
    text += csv_line(cells_of_row(row));
  }
  return text;
}

}  // namespace epochcast::run
