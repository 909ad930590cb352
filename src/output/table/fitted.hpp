// A wide table for a screen: nothing is lost, and no row is wider than the screen.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/output/table/table.hpp"

namespace epochcast::table {

/// The variable COLUMNS if it is a number above 0, else the width of the terminal on standard
/// output; std::nullopt if there is neither: a pipe or a file has no width.
std::optional<std::size_t> screen_width();

/// `text` in lines of at most `width` characters (above 0): broken at blanks, else after a sign
/// such as '/', else anywhere.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// Columns, but for the first, whose value is the same in all of several rows become a note.
void note_constants(Table& table);

/// The table as it is if it fits into `width`. Else values that are the same in all rows become a
/// note, long texts are wrapped, and if that is not enough, the columns are split over several
/// tables that all begin with the first column.
std::vector<Table> fitted(const Table& table, std::size_t width);

}  // namespace epochcast::table
