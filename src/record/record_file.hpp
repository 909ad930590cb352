// The objects of a record in the HDF5 file and their names, shared by the writer and the reader.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "src/record/h5.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/record.hpp"
#include "src/record/row_type.hpp"

namespace epochcast::record {

inline constexpr const char* modules_name = "modules";

/// Sets every field of the header as an attribute of the root. Existing attributes are overwritten
/// in place.
void write_header(h5::File& file, const RecordHeader& header);

/// Reads the header by field names. Fields that the file does not have keep their defaults.
RecordHeader read_header(const h5::File& file);

/// A JSON object with one text per field of `Row`: {"start_s":"s",...}.
template <class Row, class Text>
std::string json_of_fields(Text&& text_of) {
  std::string json;
  for_each_field<Row>([&](const auto& field) {
    json += json.empty() ? '{' : ',';
    append_json(json, field.name);
    json += ':';
    append_json(json, text_of(field));
  });
  return json + "}";
}

/// Creates an empty table that describes itself: attribute `meaning`, and `units` and `meanings` of
/// its columns.
template <class Row>
h5::Table create_record_table(h5::File& file, const RecordTable<Row>& table) {
  const std::string name(table.name);
  auto created = file.create_table(name, layout_of<Row>());
  file.set_attribute(name, "meaning", table.meaning);
  file.set_attribute(name, "units",
                     json_of_fields<Row>([](const auto& field) { return field.unit; }));
  file.set_attribute(name, "meanings",
                     json_of_fields<Row>([](const auto& field) { return field.meaning; }));
  return created;
}

/// The rows of a table; empty if the file has no such table.
template <class Row>
std::vector<Row> read_rows(const h5::File& file, const RecordTable<Row>& table) {
  const auto found = file.open_table(std::string(table.name));
  std::vector<Row> rows(found ? found->rows() : 0);
  if (!rows.empty()) {
    found->read(layout_of<Row>(), rows.data());
  }
  std::ranges::for_each(rows, [](Row& row) { use_current_value(row); });
  return rows;
}

}  // namespace epochcast::record
