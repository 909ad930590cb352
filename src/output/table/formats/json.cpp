// JSON for programs: numbers with all their digits, null for unknown values.
#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/core/text.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::table::formats {
namespace json_writer {

using Json = nlohmann::ordered_json;

Json cell_json(const Cell& cell, const Column& column) {
  if (const auto* value = std::get_if<double>(&cell)) {
    if (!std::isfinite(*value)) {
      return Json(number_text(*value, column));  // JSON has no NaN
    }
    const auto whole = column.decimals <= 0 ? parse_integer(format_shortest(*value)) : std::nullopt;
    return whole ? Json(*whole) : Json(*value);
  }
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? Json(nullptr) : Json(*text);
}

Json column_json(const Column& column) {
  return {{"key", column.key},
          {"heading", column.heading},
          {"unit", column.unit},
          {"kind", column.kind == Column::Kind::number ? "number" : "text"}};
}

Json table_json(const Table& table) {
  Json json{{"name", table.name},
            {"title", table.title},
            {"columns", Json::array()},
            {"rows", Json::array()}};
  for (const auto& column : table.columns) {
    json["columns"].push_back(column_json(column));
  }
  for (const auto& row : table.rows) {
    auto& line = json["rows"].emplace_back(Json::object());
    for (std::size_t i = 0; i < row.size(); ++i) {
      line[table.columns[i].key] = cell_json(row[i], table.columns[i]);
    }
  }
  json["notes"] = table.notes;
  return json;
}

std::string write(const std::vector<Table>& tables) {
  Json json{{"tables", Json::array()}};
  for (const auto& table : tables) {
    json["tables"].push_back(table_json(table));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace json_writer

FormatSpec json() {
  return {.summary = "JSON for programs", .suffix = "json", .write = json_writer::write};
}

}  // namespace epochcast::table::formats
