// A table as a part of a page of HTML.
#pragma once

#include <limits>
#include <string>

#include "src/output/table/empty_columns.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::table {

/// The table with its title, headings and notes, in a box that scrolls by itself where the page is
/// narrower. `id` distinguishes it on the page: letters, digits, '-' and '_'. Numbers are those of
/// the other formats. Of more than `most_rows` rows the first are shown, and a note says how many
/// are not.
std::string html_table(const Table& table, const std::string& id,
                       std::size_t most_rows = std::numeric_limits<std::size_t>::max());

}  // namespace epochcast::table
