#include "jobs/submit/resubmit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/commands/commands.hpp"
#include "jobs/submit/notify.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

/// Without an option: how many points each option selects.
int list_reasons(const std::string& out, const std::vector<std::string>& filters) {
  std::map<std::pair<ResubmitReason, PointState>, std::size_t> counts;
  const auto report = status_with_lost_closed(out, filters);
  if (!report.scheduler_problem.empty()) {
    throw RunError(fmt::format("the controller does not answer ({}); run this command again later",
                               report.scheduler_problem));
  }
  for (const auto& point : report.points) {
    if (const auto reason = reason_of(point); reason != ResubmitReason::none) {
      ++counts[{reason, point.state}];
    }
  }
  for (const auto& [key, count] : counts) {
    fmt::print("--{:<9} {} {}\n", to_text(key.first), counted(count, "point"), to_text(key.second));
  }
  cli::report(counts.empty() ? "no point can be submitted again"
                             : "nothing was submitted; select points with the options above");
  return exit_done;
}

}  // namespace

void print_again(const ResubmitReport& again) {
  for (const auto& line : again.lines) {
    fmt::print("{}\n", line);
  }
  std::ranges::for_each(again.submitted.problems, cli::report);
}

namespace {

int run_resubmit(const cli::Arguments& arguments) {
  const auto out = only_word(arguments, "OUT");
  ResubmitFilter filter{arguments.has("failed"), arguments.has("timeout"), arguments.has("missing"),
                        arguments.has("tainted"), arguments.has("disturbed")};
  SubmitRequest request{.out = out,
                        .filters = arguments.all("filter"),
                        .points = {},
                        .dry_run = arguments.has("dry-run"),
                        .array = arguments.has("array")};
  cli::read_option(arguments, "throttle", request.throttle, ">=0");
  filter.retry = arguments.has("retry");
  request.lock_timeout_s = filter.retry ? many_jobs_end_s : 0;
  if (filter == ResubmitFilter{}) {
    return list_reasons(out, request.filters);
  }
  if (!request.dry_run) {
    notify_if_ended(out, cli::report);
  }
  const auto report = resubmit(request, filter);
  std::ranges::for_each(report.submitted.notes, cli::report);
  print_again(report);
  const auto points = counted(report.points.size(), "point");
  if (request.dry_run) {
    cli::report(fmt::format("{} would be submitted again", points));
  } else if (read_origin(OutFolder(out)).cluster.is_local()) {
    cli::report(fmt::format("{} can run again: 'epochcast-jobs run {}'", points, out));
  } else if (!filter.retry || report.submitted.submitted > 0) {
    cli::report(fmt::format("{} submitted again", counted(report.submitted.submitted, "point")));
  }
  // What Slurm refuses by retry: it refuses again: the ending job need not try once more.
  return report.submitted.problems.empty() || filter.retry ? exit_done : exit_failed;
}

}  // namespace

cli::Subcommand resubmit_command() {
  return {
      "resubmit",
      {.usage = "epochcast-jobs resubmit OUT [--failed] [--timeout] [--missing] [--tainted] "
                "[--disturbed] [--retry] [--dry-run]",
       .summary = "Submits points again that ended early; without an option, lists them",
       .example = "epochcast-jobs resubmit out --timeout --missing",
       .options =
           {{"failed", "", "Points that failed; a training starts over, an inference resumes"},
            {"timeout", "",
             "Points that stopped early (time limit, scancel) or were killed at their time limit; "
             "they resume from the checkpoint"},
            {"missing", "",
             "Points without a result: node failure, job cancelled before it ran, no record; they "
             "resume if there is a checkpoint"},
            {"tainted", "", "Complete points whose times must not be compared; they start over"},
            {"disturbed", "",
             "Complete points from which others took time, by their telemetry; they start over"},
            {"retry", "",
             "Points for which retry: of the experiment or profile says so, each as it says; a job "
             "with a retry: does this for all points when it ends"},
            {"array", "", "One job array per allocation"},
            {"throttle", "N", "Maximum number of jobs at a time (0: no limit)",
             to_text(SubmitRequest{}.throttle)},
            filter_option(),
            {"dry-run", "", "Print the points; submit nothing"}},
       .positional = "OUT"},
      run_resubmit};
}

}  // namespace epochcast::jobs
