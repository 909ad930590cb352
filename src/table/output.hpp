// Where tables go: to stdout or to files, in the format asked for.
#pragma once

#include <string>
#include <vector>

#include "src/cli/command_line.hpp"
#include "src/table/table.hpp"

namespace epochcast::table {

/// --format, --part and --output.
std::vector<cli::Option> output_options();

/// Prints or writes `tables` as these options say. Throws Error for an unknown format or part,
/// RunError where a file cannot be written.
void write_tables(std::vector<Table> tables, const cli::Arguments& arguments);

}  // namespace epochcast::table
