// The subcommands of epochcast-jobs: a table of name, words for the help, and function.
#pragma once

#include <string>
#include <vector>

#include "src/cli/subcommand.hpp"

namespace epochcast::jobs {

struct GenerateRequest;

cli::Subcommand generate_command();
cli::Subcommand check_command();
cli::Subcommand submit_command();
cli::Subcommand run_command_here();
cli::Subcommand status_command();
cli::Subcommand resubmit_command();
cli::Subcommand plan_command();
cli::Subcommand lower_command();
cli::Subcommand launch_command();
cli::Subcommand cluster_command();

/// All of them, in the order of `--help`.
std::vector<cli::Subcommand> all_commands();

/// The one positional word that a subcommand needs. Throws Error where it is missing or not alone.
std::string only_word(const cli::Arguments& arguments, const std::string& what);

/// What `generate`, and so `plan`, is asked: EXPERIMENT, --cluster, --output, --set, --filter.
/// Throws Error where one of the first three is missing.
GenerateRequest generate_request(const cli::Arguments& arguments);

/// --filter, as all that chooses points takes it.
cli::Option filter_option();

}  // namespace epochcast::jobs
