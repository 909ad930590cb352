// Writes tables to stdout or to files in the requested format.
#pragma once

#include <string>
#include <vector>

#include "src/base/cli/command_line.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::table {

/// --format, --part, --sort and --output.
std::vector<cli::Option> output_options();

/// Prints or writes `tables` as these options state. Throws Error for an unknown format, part or
/// column, RunError if a file cannot be written.
void write_tables(std::vector<Table> tables, const cli::Arguments& arguments);

}  // namespace epochcast::table
