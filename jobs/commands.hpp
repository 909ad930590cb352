// The subcommands of epochcast-jobs: a table of name, words for the help, and function.
#pragma once

#include <string>
#include <vector>

#include "src/run/command_line.hpp"

namespace epochcast::jobs {

struct GenerateRequest;

struct Subcommand {
  std::string name;
  CommandSpec spec;
  int (*run)(const Arguments&);
};

Subcommand generate_command();
Subcommand check_command();
Subcommand submit_command();
Subcommand run_command_here();
Subcommand status_command();
Subcommand resubmit_command();
Subcommand plan_command();
Subcommand lower_command();
Subcommand launch_command();
Subcommand cluster_command();

/// Finds the subcommand in `words[0]` and runs it; its exit status. Throws Error for an unknown
/// one.
int run_subcommand(const std::vector<std::string>& words);

/// The one positional word that a subcommand needs. Throws Error where it is missing or not alone.
std::string only_word(const Arguments& arguments, const std::string& what);

/// What `generate`, and so `plan`, is asked: EXPERIMENT, --cluster, --output, --set, --filter.
/// Throws Error where one of the first three is missing.
GenerateRequest generate_request(const Arguments& arguments);

/// --filter, as all that chooses points takes it.
Option filter_option();

/// A line for people, on stderr.
void say(const std::string& line);

}  // namespace epochcast::jobs
