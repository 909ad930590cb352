// Maps a struct with a field table to a row of HDF5.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "src/base/core/fields.hpp"
#include "src/record/fixed_text.hpp"
#include "src/record/h5.hpp"

namespace epochcast::record {

template <class Value>
constexpr h5::Kind kind_of() {
  if constexpr (std::same_as<Value, std::int64_t>) {
    return h5::Kind::integer;
  } else if constexpr (std::same_as<Value, double>) {
    return h5::Kind::number;
  } else {
    static_assert(std::same_as<decltype(Value::chars), std::array<char, sizeof(Value)>>,
                  "a row holds std::int64_t, double and FixedText only");
    return h5::Kind::text;
  }
}

/// The memory layout of `Row`, from its field table.
template <class Row>
h5::Layout layout_of() {
  static_assert(std::is_trivially_copyable_v<Row> && std::is_standard_layout_v<Row>,
                "rows are copied to and from files as memory");
  const Row row;
  h5::Layout layout{{}, sizeof(Row)};
  for_each_field<Row>([&](const auto& field) {
    const auto& value = row.*field.member;
    const auto offset = reinterpret_cast<const char*>(&value) - reinterpret_cast<const char*>(&row);
    layout.columns.push_back({field.name, kind_of<value_of<decltype(field)>>(), sizeof(value),
                              static_cast<std::size_t>(offset), field.old_name});
  });
  return layout;
}

}  // namespace epochcast::record
