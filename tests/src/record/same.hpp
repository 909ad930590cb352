// Compares rows and records field by field and names the field that differs.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "src/record/record.hpp"

namespace epochcast::record {

inline std::string shown(std::int64_t value) {
  return std::to_string(value);
}
inline std::string shown(double value) {
  return std::isnan(value) ? "nan" : testing::PrintToString(value);
}
template <std::size_t N>
std::string shown(const FixedText<N>& value) {
  return value.str();
}

template <class Row>
void expect_same(const Row& found, const Row& expected, std::string_view where) {
  for_each_field<Row>([&](const auto& field) {
    EXPECT_EQ(shown(found.*field.member), shown(expected.*field.member))
        << where << "." << field.name;
  });
}

inline void expect_same_tables(const Record& found, const Record& expected) {
  for_each_table([&](const auto& table) {
    const auto& rows = found.*table.rows;
    const auto& others = expected.*table.rows;
    ASSERT_EQ(rows.size(), others.size()) << table.name;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      expect_same(rows[i], others[i], table.name);
    }
  });
  EXPECT_EQ(found.modules, expected.modules);
}

}  // namespace epochcast::record
