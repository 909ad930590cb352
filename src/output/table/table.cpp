#include "src/output/table/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::table {

std::string number_text(double value, const Column& column) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  if (column.decimals == shortest_exact) {
    return format_shortest(value);
  }
  const auto text = format_fixed(value, column.decimals);
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  if (is_zero && value > 0 && column.decimals > 0 && column.unit != "%") {
    return fmt::format("{:.3g}", value);
  }
  return is_zero && text.front() == '-' ? text.substr(1) : text;
}

std::string scaled_time_text(double seconds) {
  const double us = seconds * 1e6;
  if (us >= 1e6) {
    return format_fixed(us / 1e6, 3) + "s";
  }
  return us >= 1e3 ? format_fixed(us / 1e3, 3) + "ms" : format_fixed(us, 3) + "us";
}

std::string cell_text(const Cell& cell, const Column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return *text;
  }
  if (const auto* value = std::get_if<double>(&cell)) {
    if (column.scaled_time) {
      return scaled_time_text(*value);
    }
    const auto text = number_text(*value, column);
    return column.always_sign && *value > 0 ? "+" + text : text;
  }
  return "";
}

Column text_column(std::string key, std::string heading) {
  return {.key = std::move(key), .heading = std::move(heading)};
}

Column number_column(std::string key, std::string heading, std::string unit, int decimals) {
  return {.key = std::move(key),
          .heading = std::move(heading),
          .unit = std::move(unit),
          .kind = Column::Kind::number,
          .decimals = decimals};
}

Column scaled_time_column(std::string key, std::string heading) {
  auto column = number_column(std::move(key), std::move(heading), "", shortest_exact);
  column.scaled_time = true;
  return column;
}

void add_note(Table& table, const std::string& note) {
  if (!note.empty() && std::ranges::find(table.notes, note) == table.notes.end()) {
    table.notes.push_back(note);
  }
}

std::vector<std::string> keys_of(const std::vector<Column>& columns) {
  return mapped(columns, &Column::key);
}

Cell text_cell(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

Cell known_cell(double value) {
  return std::isnan(value) ? Cell() : Cell(value);
}

Cell finite_cell(double value) {
  return std::isfinite(value) ? Cell(value) : Cell();
}

Cell positive_cell(double value) {
  return value > 0 ? Cell(value) : Cell();
}

Cell ratio_cell(double part, double of) {
  return of > 0 ? Cell(part / of) : Cell();
}

Cell percent_cell(double part, double of) {
  return ratio_cell(100 * part, of);
}

Cell median_cell(const std::optional<Summary>& summary) {
  return summary ? Cell(summary->median) : Cell();
}

Cell spread_cell(const std::optional<Summary>& summary) {
  return summary && summary->n > 1 ? Cell(summary->spread) : Cell();
}

}  // namespace epochcast::table
