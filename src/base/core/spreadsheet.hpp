// Text in CSV files that people open in a spreadsheet.
#pragma once

#include <string>
#include <string_view>

namespace epochcast {

/// `text`, after a ' if a spreadsheet would take it for a formula (it begins with = + - @ and is no
/// number), and without the characters that a terminal would execute.
std::string spreadsheet_text(std::string_view text);

/// The text of which spreadsheet_text() made `cell`.
std::string from_spreadsheet(std::string cell);

}  // namespace epochcast
