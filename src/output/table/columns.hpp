// Chooses the columns of a table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/output/table/table.hpp"

namespace epochcast::table {

/// Keeps the columns at these places, in this order.
void keep_columns(Table& table, const std::vector<std::size_t>& places);

/// Removes the columns at the places for which `is_removed` holds; returns them, in their order.
std::vector<Column> remove_columns_if(Table& table,
                                      const std::function<bool(std::size_t)>& is_removed);

/// Keeps the columns with these keys, in this order, in every table that has them all; the other
/// tables stay as they are. Throws Error, beginning with "--columns: ", if no table has them all.
void choose_columns(std::vector<Table>& tables, const std::vector<std::string>& keys);

/// Removes the columns marked as details; returns their keys.
std::vector<std::string> remove_details(Table& table);

}  // namespace epochcast::table
