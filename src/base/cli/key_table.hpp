// Tables of keys for the reference: name, type, default, unit, meaning and allowed values, as a
// list in Markdown.
#pragma once

#include <string>
#include <vector>

#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::cli {

struct KeyRow {
  std::string name;
  std::string type;
  std::string default_value;
  std::string unit = "1";  ///< "1": none.
  std::string meaning;
  std::string allowed = {};  ///< As Field::allowed.
};

/// A Markdown list, one line per key.
std::string key_table(const std::vector<KeyRow>& rows);

/// One row for every field of `Struct`.
template <class Struct>
std::vector<KeyRow> key_rows() {
  std::vector<KeyRow> rows;
  const Struct defaults;
  for_each_field<Struct>([&](const auto& field) {
    const auto& value = defaults.*field.member;
    rows.push_back({std::string(field.name), std::string(type_name(value)),
                    std::string(to_text(value)), std::string(field.unit),
                    std::string(field.meaning), std::string(field.allowed)});
  });
  return rows;
}

/// The rows of a key whose value is a group: the key itself, then one for every field of `Struct`
/// as "group.field".
template <class Struct>
std::vector<KeyRow> group_rows(const std::string& group, const std::string& meaning) {
  auto rows = key_rows<Struct>();
  for (auto& row : rows) {
    row.name = group + "." + row.name;
  }
  rows.insert(rows.begin(),
              {group, "map", "none", "1", meaning + ": a map of the following keys, or none"});
  return rows;
}

}  // namespace epochcast::cli
