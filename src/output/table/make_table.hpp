// A table from rows of one type. A column says what it is called and where its value is in a row,
// so no cell is placed by counting:
//
//   const Columns<Run> columns{{"record", "record", &Run::path},
//                              {"epochs", "epochs", "", 0, &Run::epochs},
//                              {"error_percent", "error", "%", 1, &Run::error_percent, with_sign}};
//   auto table = make_table("runs", "Runs", columns, runs);
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/output/table/table.hpp"

namespace epochcast::table {

/// A number, text, "yes" or "no"; empty for an optional without a value.
template <class Value>
Cell to_cell(const Value& value) {
  if constexpr (std::is_same_v<Value, Cell>) {
    return value;
  } else if constexpr (std::is_same_v<Value, bool>) {
    return Cell(value ? "yes" : "no");
  } else if constexpr (std::is_arithmetic_v<Value>) {
    return static_cast<double>(value);
  } else if constexpr (requires { value.has_value(); }) {
    return value ? to_cell(*value) : Cell();
  } else if constexpr (requires { value.str(); }) {
    return value.str();
  } else {
    return std::string(value);
  }
}

enum class Look { plain, with_sign, detail };
inline constexpr auto with_sign = Look::with_sign;  ///< Column::always_sign.
inline constexpr auto as_detail = Look::detail;     ///< Column::detail.

/// A column of a table whose rows are made of `Row`. `value` is a member of it, data or function,
/// or takes it; what that gives becomes a cell by to_cell().
template <class Row>
struct RowColumn {
  template <class Value>
  RowColumn(Column about, Value value)
      : column(std::move(about)), cell([value = std::move(value)](const Row& row) {
          return to_cell<std::remove_cvref_t<std::invoke_result_t<const Value&, const Row&>>>(
              std::invoke(value, row));
        }) {}

  /// A column of text.
  template <class Value>
  RowColumn(std::string key, std::string heading, Value value, Look look = Look::plain)
      : RowColumn(looking(text_column(std::move(key), std::move(heading)), look),
                  std::move(value)) {}

  /// A column of numbers.
  template <class Value>
  RowColumn(std::string key, std::string heading, std::string unit, int decimals, Value value,
            Look look = Look::plain)
      : RowColumn(
            looking(number_column(std::move(key), std::move(heading), std::move(unit), decimals),
                    look),
            std::move(value)) {}

  Column column;
  std::function<Cell(const Row&)> cell;

 private:
  static Column looking(Column column, Look look) {
    column.always_sign = look == Look::with_sign;
    column.detail = look == Look::detail;
    return column;
  }
};

template <class Row>
class Columns {
 public:
  Columns() = default;
  Columns(std::initializer_list<RowColumn<Row>> columns) : columns_(columns) {}

  Columns& add(RowColumn<Row> column) {
    columns_.push_back(std::move(column));
    return *this;
  }

  /// The columns of `more`, whose rows are the part of a row that `part` gives: a member or a
  /// function, called for every cell. Empty cells for a null pointer or an empty optional.
  template <class Part, class GetPart>
  Columns& add(const Columns<Part>& more, GetPart part) {
    for (const auto& [column, cell] : more.all()) {
      columns_.push_back({column, [part, cell = cell](const Row& row) {
                            decltype(auto) found = std::invoke(part, row);
                            if constexpr (std::is_convertible_v<decltype(found), const Part&>) {
                              return cell(found);
                            } else {
                              return found ? cell(*found) : Cell();
                            }
                          }});
    }
    return *this;
  }

  Columns& add(const Columns& more) {
    columns_.insert(columns_.end(), more.columns_.begin(), more.columns_.end());
    return *this;
  }

  /// A column of text for each name; `values` gives the texts of a row in that order.
  template <class GetValues>
  Columns& add_each(const std::vector<std::string>& names, GetValues values) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      add({names[i], names[i],
           [values, i](const Row& row) { return std::invoke(values, row)[i]; }});
    }
    return *this;
  }

  const std::vector<RowColumn<Row>>& all() const { return columns_; }

 private:
  std::vector<RowColumn<Row>> columns_;
};

template <class Row, class Rows>
Table make_table(std::string name, std::string title, const Columns<Row>& columns, const Rows& rows,
                 std::vector<std::string> notes = {}) {
  Table table{
      .name = std::move(name), .title = std::move(title), .columns = {}, .notes = std::move(notes)};
  for (const auto& column : columns.all()) {
    table.columns.push_back(column.column);
  }
  for (const auto& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const auto& column : columns.all()) {
      cells.push_back(column.cell(row));
    }
  }
  return table;
}

}  // namespace epochcast::table
