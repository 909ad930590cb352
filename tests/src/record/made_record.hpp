// Records made in code for the tests: every field of every table set, also fields that come later.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "src/record/record.hpp"
#include "tests/files.hpp"

namespace epochcast::record {

inline void set_value(std::int64_t& value, std::int64_t number) {
  value = number;
}
inline void set_value(double& value, std::int64_t number) {
  value = static_cast<double>(number) + 0.1;
}
template <std::size_t N>
void set_value(FixedText<N>& value, std::int64_t number) {
  value = "tëxt \"" + std::to_string(number) + "\"\n\\";
}

/// `count`, or `long_count` where the environment asks for campaigns at full count.
inline int campaign_count(int count, int long_count) {
  return std::getenv("EPOCHCAST_LONG") != nullptr ? long_count : count;
}

/// Every field gets a value of its own, counted from `first`.
template <class Row>
Row made_row(std::int64_t first) {
  Row row;
  for_each_field<Row>([&](const auto& field) { set_value(row.*field.member, ++first); });
  return row;
}

/// Three rows in every table and all of the header set.
inline Record made_record() {
  Record record;
  record.header = made_row<RecordHeader>(0);
  record.header.schema_version = record_schema_version;
  record.header.outcome = "running";
  record.modules = "gcc/12.2 'quoted'\nhdf5/1.10.8 \xC3\xA9\n";
  for_each_table([&]<class Row>(const RecordTable<Row>& table) {
    for (const std::int64_t first : {100, 200, 300}) {
      (record.*table.rows).push_back(made_row<Row>(first));
    }
  });
  return record;
}

}  // namespace epochcast::record
