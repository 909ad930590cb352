// Columns of a table that are the fields of a declared struct.
#pragma once

#include <string>
#include <type_traits>

#include "src/base/core/fields.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis {

/// A column for each field of `Struct`, under the field's name.
template <class Struct>
table::Columns<Struct> field_columns() {
  table::Columns<Struct> columns;
  for_each_field<Struct>([&](const auto& field) {
    const std::string key(field.name);
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(Struct{}.*field.member)>>) {
      columns.add({key, key, "", table::shortest_exact, field.member});
    } else {
      columns.add({key, key, field.member});
    }
  });
  return columns;
}

}  // namespace epochcast::analysis
