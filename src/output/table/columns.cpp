#include "src/output/table/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::table {
namespace {

/// Where the columns with these keys are; nothing if one is missing.
std::optional<std::vector<std::size_t>> column_places(const Table& table,
                                                      const std::vector<std::string>& keys) {
  std::vector<std::size_t> places;
  for (const auto& key : keys) {
    const auto found = std::ranges::find(table.columns, key, &Column::key);
    if (found == table.columns.end()) {
      return std::nullopt;
    }
    places.push_back(static_cast<std::size_t>(found - table.columns.begin()));
  }
  return places;
}

/// The first of `keys` that is in no table, else the list: no single table has them all.
Error missing(const std::vector<Table>& tables, const std::vector<std::string>& keys) {
  std::vector<std::string> known;
  for (const auto& table : tables) {
    const auto of_table = keys_of(table.columns);
    known.insert(known.end(), of_table.begin(), of_table.end());
  }
  for (const auto& key : keys) {
    if (std::ranges::find(known, key) == known.end()) {
      return Error(fmt::format("--columns: no column '{}' here{}", key, did_you_mean(key, known)));
    }
  }
  return Error(fmt::format("--columns: no table has all of {} (--part NAME prints one table)",
                           join(keys, ", ")));
}

}  // namespace

void keep_columns(Table& table, const std::vector<std::size_t>& places) {
  const auto kept = [&](const auto& all) {
    std::remove_cvref_t<decltype(all)> chosen;
    for (const auto place : places) {
      chosen.push_back(all[place]);
    }
    return chosen;
  };
  table.columns = kept(table.columns);
  for (auto& row : table.rows) {
    row = kept(row);
  }
}

void choose_columns(std::vector<Table>& tables, const std::vector<std::string>& keys) {
  bool chosen = false;
  for (auto& table : tables) {
    if (const auto places = column_places(table, keys)) {
      keep_columns(table, *places);
      chosen = true;
    }
  }
  if (!chosen) {
    throw missing(tables, keys);
  }
}

std::vector<Column> remove_columns_if(Table& table,
                                      const std::function<bool(std::size_t)>& is_removed) {
  std::vector<std::size_t> places;
  std::vector<Column> removed;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (is_removed(i)) {
      removed.push_back(table.columns[i]);
    } else {
      places.push_back(i);
    }
  }
  if (!removed.empty()) {
    keep_columns(table, places);
  }
  return removed;
}

std::vector<std::string> remove_details(Table& table) {
  return keys_of(
      remove_columns_if(table, [&](std::size_t place) { return table.columns[place].detail; }));
}

}  // namespace epochcast::table
