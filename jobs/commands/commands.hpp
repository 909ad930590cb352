// The subcommands of epochcast-jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "src/base/cli/subcommand.hpp"

namespace epochcast::jobs {

struct GenerateRequest;
struct ResubmitReport;

cli::Subcommand init_command();
cli::Subcommand generate_command();
cli::Subcommand check_command();
cli::Subcommand submit_command();
cli::Subcommand run_command_here();
cli::Subcommand status_command();
cli::Subcommand logs_command();
cli::Subcommand cancel_command();
cli::Subcommand resubmit_command();
cli::Subcommand plan_command();
cli::Subcommand advise_command();
cli::Subcommand update_limits_command();
cli::Subcommand launch_command();
cli::Subcommand notify_command();
cli::Subcommand cluster_command();

/// All of them, in the order of `--help`.
std::vector<cli::Subcommand> all_commands();

/// The only positional argument of a subcommand. Throws Error if there is none or more than one.
std::string only_word(const cli::Arguments& arguments, const std::string& what);

/// The request of `generate` and `plan`: EXPERIMENT, --cluster, --output, --set, --site, --filter.
/// Throws Error if one of the first three is missing.
GenerateRequest generate_request(const cli::Arguments& arguments);

/// --site, for all subcommands that read a cluster's profile, and its values. Throws Error unless
/// each is KEY=VALUE.
cli::Option site_option();
SiteSettings site_settings(const cli::Arguments& arguments);

/// --repeat-disturbed, for `run` and `plan`, and its value, 0 if it is not given. Throws Error if
/// it is below 0.
cli::Option repeat_disturbed_option();
std::int64_t repeats_of_disturbed(const cli::Arguments& arguments);

/// --filter, for all subcommands that select points.
cli::Option filter_option();

/// Prints the points that are submitted again, and what Slurm refused.
void print_again(const ResubmitReport& again);

/// docs/reference/experiment.md.
std::string experiment_page();

/// docs/reference/status.json.
std::string status_reference();

/// docs/reference/cluster.md.
std::string cluster_page();

}  // namespace epochcast::jobs
