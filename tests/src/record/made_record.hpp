// Records made in code for the tests: every field of every table set, also fields that come later.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "src/core/error.hpp"
#include "src/record/record.hpp"

namespace epochcast {

/// A folder of its own that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto pattern = (std::filesystem::temp_directory_path() / "epochcast-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline void set_value(std::int64_t& value, std::int64_t number) { value = number; }
inline void set_value(double& value, std::int64_t number) { value = static_cast<double>(number) + 0.1; }
template <std::size_t N>
void set_value(FixedText<N>& value, std::int64_t number) {
  value = "tëxt \"" + std::to_string(number) + "\"\n\\";
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void set_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// The message of the Error that `action` throws; fails where it throws none.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
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

}  // namespace epochcast
