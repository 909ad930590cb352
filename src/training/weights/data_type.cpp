#include "src/training/weights/data_type.hpp"

#include <array>
#include <vector>

#include "src/base/core/text.hpp"

namespace epochcast::weights {
namespace {

struct TypeRow {
  std::string_view name;
  std::size_t bytes;
};

/// In the order of DataType.
constexpr std::array<TypeRow, 10> type_rows{{{"BOOL", 1},
                                             {"U8", 1},
                                             {"I8", 1},
                                             {"I16", 2},
                                             {"I32", 4},
                                             {"I64", 8},
                                             {"F16", 2},
                                             {"BF16", 2},
                                             {"F32", 4},
                                             {"F64", 8}}};

const TypeRow& type_row(DataType type) {
  return type_rows.at(static_cast<std::size_t>(type));
}

}  // namespace

std::string_view name_of(DataType type) {
  return type_row(type).name;
}

std::size_t size_of(DataType type) {
  return type_row(type).bytes;
}

std::optional<DataType> data_type_called(std::string_view name) {
  for (std::size_t i = 0; i < type_rows.size(); ++i) {
    if (type_rows[i].name == name) {
      return static_cast<DataType>(i);
    }
  }
  return std::nullopt;
}

std::string data_type_names() {
  std::vector<std::string> names;
  for (const auto& row : type_rows) {
    names.emplace_back(row.name);
  }
  return join(names, ", ");
}

}  // namespace epochcast::weights
