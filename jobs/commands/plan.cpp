#include "jobs/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "jobs/campaign/status.hpp"
#include "jobs/commands/commands.hpp"
#include "jobs/plan/history_limits.hpp"
#include "jobs/plan/known_runs.hpp"
#include "jobs/plan/planned.hpp"
#include "jobs/submit/notify.hpp"
#include "jobs/submit/resubmit.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/history/history_file.hpp"

namespace epochcast::jobs {
namespace {

void report_all(const std::vector<std::string>& problems) {
  for (const auto& problem : problems) {
    cli::report(problem);
  }
}

void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

PlanRequest request_of(const cli::Arguments& arguments) {
  PlanRequest request;
  request.generate = generate_request(arguments);
  cli::read_option(arguments, "pilot-iterations", request.size.iterations, ">=1");
  if (arguments.has("pilot-epochs")) {
    cli::read_option(arguments, "pilot-epochs", request.size.epochs, ">=1");
  }
  cli::read_option(arguments, "pilot-time", request.size.time, ">0");
  cli::read_option(arguments, "throttle", request.throttle, ">=0");
  request.dry_run = arguments.has("dry-run");
  request.generate.relatives = checked({arguments.all("relatives"), arguments.all("may-differ")});
  return request;
}

/// The past jobs of --history and --name.
PastJobs past_jobs(const cli::Arguments& arguments) {
  if (!arguments.has("name")) {
    throw Error(
        "--history: --name is missing: a pattern of the names of this experiment's past jobs");
  }
  std::vector<std::string> damaged;
  PastJobs past{history::read_history(arguments.get("history"), &damaged), arguments.get("name")};
  for (const auto& line : damaged) {
    cli::report("left out: " + line);
  }
  return past;
}

/// --repeat-disturbed: it takes part in what --wait does.
std::int64_t repeats_asked(const cli::Arguments& arguments, const PlanRequest& request) {
  if (!arguments.has("repeat-disturbed")) {
    return 0;
  }
  if (!arguments.has("wait") || request.dry_run) {
    throw Error(fmt::format("--repeat-disturbed: {}",
                            request.dry_run
                                ? "a dry run runs nothing that could be repeated"
                                : "goes with --wait: without it, 'plan' ends before the runs do"));
  }
  return repeats_of_disturbed(arguments);
}

/// Whether every point of OUT is complete.
int outcome_of(const std::string& out) {
  const auto points = status(out).points;
  const bool all = std::all_of(points.begin(), points.end(), [](const PointStatus& point) {
    return point.state == PointState::complete;
  });
  return all ? exit_done : exit_failed;
}

/// Repeats disturbed pilots, and submits the full runs then.
void submit_full_runs_later(const PlanRequest& request, std::int64_t repeat_disturbed) {
  cli::report(
      "the full runs are submitted once their pilots have ended and the disturbed ones were "
      "repeated; if this command ends before, call it again");
  wait_for_pilots(request.generate.out, repeat_disturbed, print_line);
  auto rest = request;
  rest.part = PlanPart::full_runs;
  report_all(plan(rest, print_line).problems);
}

int finish(const PlanRequest& request, const PlanReport& report, bool wait,
           std::int64_t repeat_disturbed) {
  const auto& out = request.generate.out;
  if (!report.is_local) {
    if (wait && !request.dry_run) {
      if (request.part == PlanPart::pilots) {
        submit_full_runs_later(request, repeat_disturbed);
      }
      wait_for_plan(out, repeat_disturbed, print_line);
      return outcome_of(out);
    }
    return report.problems.empty() ? exit_done : exit_failed;
  }
  if (request.dry_run) {
    cli::report("dry run: nothing was written");
    return exit_done;
  }
  if (!wait) {
    cli::report(fmt::format("run 'epochcast-jobs run {}' for the pilots and the full runs", out));
    return exit_done;
  }
  return run_planned({.out = out,
                      .filters = request.generate.filters,
                      .repeat_disturbed = repeat_disturbed},
                     print_line)
      .exit_status();
}

/// `plan` starts no full run again: what stopped may go on, what failed needs a look.
void tell_what_to_resubmit(const std::string& out) {
  std::map<ResubmitReason, std::size_t> counts;
  for (const auto& point : status(out).points) {
    if (point.state != PointState::complete) {
      ++counts[reason_of(point)];
    }
  }
  for (const auto& [reason, count] : counts) {
    if (reason != ResubmitReason::none) {
      cli::report(fmt::format("{} ended early: 'epochcast-jobs resubmit {} --{}'",
                              counted(count, "full run"), out, to_text(reason)));
    }
  }
}

/// Jobs of several points are filled by forecast, so their pilots have to end first.
bool packs(const GenerateRequest& request) {
  return std::ranges::any_of(read_matrix(request).cluster.allocations,
                             [](const AllocationProfile& site) { return site.pack.is_used(); });
}

int run_plan(const cli::Arguments& arguments) {
  auto request = request_of(arguments);
  const bool from_history = arguments.has("history");
  if (arguments.has("name") && !from_history) {
    throw Error("--name: goes with --history");
  }
  if (arguments.has("relatives") && from_history) {
    throw Error("--relatives: cannot be combined with --history, which runs no pilots");
  }
  const auto repeats = repeats_asked(arguments, request);
  // The full runs wait until their pilots are repeated.
  if (!from_history && (repeats > 0 || (arguments.has("wait") && packs(request.generate)))) {
    request.part = PlanPart::pilots;
  }
  const auto report = from_history ? plan_from_history(request, past_jobs(arguments), print_line)
                                   : plan(request, print_line);
  for (const auto& command : report.commands) {
    if (request.dry_run) {
      print_line(command);
    }
  }
  report_all(report.problems);
  cli::report(from_history ? counted(report.points, "point") + ", no pilots"
                           : fmt::format("{}, {} (in {}/pilots)", counted(report.points, "point"),
                                         counted(report.pilots, "pilot"), request.generate.out));
  const int exit_status = finish(request, report, arguments.has("wait"), repeats);
  if (!request.dry_run) {
    tell_what_to_resubmit(request.generate.out);
    notify_if_ended(request.generate.out, cli::report);
  }
  return exit_status;
}

}  // namespace

cli::Subcommand plan_command() {
  return {
      "plan",
      {.usage = "epochcast-jobs plan EXPERIMENT --cluster C -o OUT [--wait] [options]",
       .summary =
           "Submits short pilots, and full jobs with time limits that are forecast from them",
       .example = "epochcast-jobs plan experiments/lab.yaml --cluster rosie -o out --wait",
       .options =
           {{"cluster", "NAME|FILE", "Profile of the cluster (see 'cluster list')"},
            {"output,o", "OUT", "Output folder; an existing one keeps its points"},
            {"wait", "", "Wait until all jobs have ended; print forecasts and outcomes"},
            repeat_disturbed_option(),
            {"pilot-iterations", "N", "Iterations of a pilot", to_text(PilotSize{}.iterations)},
            {"pilot-epochs", "N",
             fmt::format("Epochs of a pilot, if they end first (default: a tenth of the longest "
                         "run's, from {} to {})",
                         fewest_pilot_epochs, most_pilot_epochs)},
            {"pilot-time", "TIME", "Time limit of a pilot's job", to_text(PilotSize{}.time)},
            {"history", "FILE",
             "No pilots: limits from the past jobs in this history (epochcast-analyze import "
             "sacct), or in its folder"},
            {"name", "PATTERN",
             "With --history: names of the past jobs of each point: a shell pattern, or a regular "
             "expression between slashes; {batch} stands for a parameter"},
            {"relatives", "PATH",
             "Records, or folders of them, of runs of the same program elsewhere: forecasts use "
             "their shape where they agree. Complete runs of this experiment in your ledger are "
             "used without being named",
             "", true},
            {"may-differ", "NAME", "With --relatives: a parameter in which they may differ", "",
             true},
            {"throttle", "N", "Maximum number of jobs at a time (0: no limit)",
             to_text(PlanRequest{}.throttle)},
            {"set", "KEY=VALUE",
             "Replace a value of the experiment; commas separate values of a swept key", "", true},
            site_option(),
            filter_option(),
            {"dry-run", "", "Write the scripts and print the calls of sbatch; submit nothing"}},
       .positional = "EXPERIMENT"},
      run_plan};
}

}  // namespace epochcast::jobs
