// Columns without a value, which a table for readers need not have.
#pragma once

#include <string>
#include <vector>

#include "src/output/table/table.hpp"

namespace epochcast::table {

/// Removes the columns, but for the first one, that have no value in any row; returns their
/// headings. A table without rows keeps all.
std::vector<std::string> remove_empty_columns(Table& table);
/// The table without them; a note names them.
Table without_empty_columns(Table table);

}  // namespace epochcast::table
