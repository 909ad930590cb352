// The subcommands of epochcast-analyze, most in a file of their name. Data goes to stdout, talk to
// stderr.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/base/cli/subcommand.hpp"

namespace epochcast::analysis {

cli::Subcommand table_command();
cli::Subcommand report_command();
cli::Subcommand plot_command();
cli::Subcommand import_command();
cli::Subcommand export_command();
cli::Subcommand predict_command();
cli::Subcommand validate_command();
cli::Subcommand verify_command();
cli::Subcommand salvage_command();
cli::Subcommand schema_command();
cli::Subcommand list_command();

/// The positional arguments after the first `skipped`. Throws Error "RECORDS... is missing (see
/// --help)" where there are none.
std::vector<std::string> words_after(const cli::Arguments& arguments, std::size_t skipped,
                                     const std::string& what);

/// Prints the names of `entries`, each with its summary, if the first argument is "list". True if
/// it is.
template <class Spec>
bool print_list(const cli::Arguments& arguments, const std::map<std::string, Spec>& entries) {
  if (arguments.positional().empty() || arguments.positional().front() != "list") {
    return false;
  }
  for (const auto& [name, spec] : entries) {
    fmt::print("{:<16} {}\n", name, spec.summary);
  }
  return true;
}

/// The records among the arguments after NAME that obey the options --filter. Throws Error where
/// none is left.
LoadedRecords requested_records(const cli::Arguments& arguments, record::Rows rows);

}  // namespace epochcast::analysis
