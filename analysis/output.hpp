// Where tables go: to stdout or to files, in the format asked for.
#pragma once

#include <string>
#include <vector>

#include "analysis/table.hpp"
#include "src/run/command_line.hpp"

namespace epochcast {

/// --format, --part and --output.
std::vector<Option> output_options();

/// Prints or writes `tables` as these options say. Throws Error for an unknown format or part,
/// RunError where a file cannot be written.
void put_out(std::vector<Table> tables, const Arguments& arguments);

}  // namespace epochcast
