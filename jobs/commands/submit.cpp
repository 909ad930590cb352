#include "jobs/submit/submit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/commands/commands.hpp"
#include "jobs/submit/notify.hpp"
#include "jobs/submit/resubmit.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::jobs {
namespace {

/// "59 dcgan.t4.e1.r0-...", "59 8 points of 't4'", or for an array "59_[0-7] 8 points of 't4'".
void print_jobs(const SubmitReport& report) {
  for (const auto& job : report.jobs) {
    if (job.is_array || job.points.size() > 1) {
      fmt::print("{}{} {} of '{}'\n", job.id,
                 job.is_array ? fmt::format("_[0-{}]", job.points.size() - 1) : "",
                 counted(job.points.size(), "point"), job.allocation);
    } else {
      fmt::print("{} {}\n", job.id, job.points.front());
    }
  }
}

int run_submit(const cli::Arguments& arguments) {
  SubmitRequest request;
  request.out = only_word(arguments, "OUT");
  request.filters = arguments.all("filter");
  request.dry_run = arguments.has("dry-run");
  request.array = arguments.has("array");
  cli::read_option(arguments, "throttle", request.throttle, ">=0");
  // The ending job of a pack, which nobody calls again.
  const bool in_job = !slurm::variable(slurm::current_environment(), "SLURM_JOB_ID").empty();
  // First what retry: says, as every job of the folder does when it ends.
  request.keep = !request.dry_run && RetryPolicy(OutFolder(request.out)).is_declared();
  request.lock_timeout_s = in_job || request.keep ? many_jobs_end_s : 0;
  if (!request.dry_run) {
    notify_if_ended(request.out, cli::report);
  }
  if (request.keep) {
    const auto again = retry(request.out);
    print_again(again);
    print_jobs(again.submitted);
  }
  const auto report = submit(request);
  if (request.dry_run) {
    for (const auto& command : report.commands) {
      fmt::print("{}\n", command);
    }
  }
  print_jobs(report);
  std::ranges::for_each(report.notes, cli::report);
  for (const auto& problem : report.problems) {
    cli::report(problem);
  }
  if (report.found > 0) {
    cli::report(fmt::format("{} of an earlier call had reached the scheduler",
                            counted(report.found, "point")));
  }
  cli::report(fmt::format("{} {}, {} already had a job or a result",
                          counted(request.dry_run ? report.to_submit : report.submitted, "point"),
                          request.dry_run ? "would be submitted" : "submitted", report.had));
  return report.problems.empty() ? exit_done : exit_failed;
}

}  // namespace

cli::Subcommand submit_command() {
  return {
      "submit",
      {.usage =
           "epochcast-jobs submit OUT [--array] [--throttle N] [--filter COLUMN=VALUE] [--dry-run]",
       .summary = "Submits every point that has no job and no result",
       .example = "epochcast-jobs submit out --array --throttle 4",
       .options = {{"array", "", "One job array per allocation, within the site's limit"},
                   {"throttle", "N", "Maximum number of jobs at a time (0: no limit)",
                    to_text(SubmitRequest{}.throttle)},
                   filter_option(),
                   {"dry-run", "", "Print the calls of sbatch; submit nothing"}},
       .positional = "OUT"},
      run_submit};
}

}  // namespace epochcast::jobs
