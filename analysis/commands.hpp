// The subcommands of epochcast-analyze, a file each (command_*.cpp). Data goes to stdout, talk to
// stderr.
#pragma once

#include <string>
#include <vector>

#include "analysis/records.hpp"
#include "src/run/subcommand.hpp"

namespace epochcast {

Subcommand table_command();
Subcommand import_command();
Subcommand export_command();
Subcommand predict_command();
Subcommand validate_command();
Subcommand verify_command();
Subcommand salvage_command();
Subcommand schema_command();
Subcommand list_command();

/// A line for people, on stderr.
void say(const std::string& line);

/// The words behind the first `skipped`. Throws Error "RECORDS... is missing (see --help)" where
/// there are none.
std::vector<std::string> words_behind(const Arguments& arguments, std::size_t skipped,
                                      const std::string& what);

/// load_records, each damaged file said in a line.
LoadedRecords load_and_say(const std::vector<std::string>& paths);

/// exit_failed where a file was damaged.
int status_of(const LoadedRecords& loaded);

}  // namespace epochcast
