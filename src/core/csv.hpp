// CSV as RFC 4180 has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast {

using CsvRow = std::vector<std::string>;

/// One line, ended by a line feed; cells are quoted only where they must be.
std::string csv_line(const CsvRow& cells);

/// Every row of `text`; lines end in LF or CRLF. Throws Error where a quoted cell does not end.
std::vector<CsvRow> parse_csv(std::string_view text);

}  // namespace epochcast
