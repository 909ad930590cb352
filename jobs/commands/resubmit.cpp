#include "jobs/submit/resubmit.hpp"

#include <fmt/format.h>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/commands/commands.hpp"
#include "src/cli/report.hpp"
#include "src/core/error.hpp"

namespace epochcast::jobs {
namespace {

int run(const cli::Arguments& arguments) {
  const ResubmitFilter wanted{arguments.has("failed"), arguments.has("timeout"),
                              arguments.has("missing"), arguments.has("tainted")};
  if (!wanted.failed && !wanted.timeout && !wanted.missing && !wanted.tainted) {
    throw Error("say what to submit again: --failed, --timeout, --missing, --tainted (see --help)");
  }
  SubmitRequest request{only_word(arguments, "OUT"), arguments.all("filter"), {},
                        arguments.has("dry-run"),    arguments.has("array"),  0};
  cli::read_option(arguments, "throttle", request.throttle, ">=0");
  const auto report = resubmit(request, wanted);
  for (const auto& point : report.points) {
    fmt::print("{} was {}, {}\n", point.point, to_text(point.state),
               is_resumable(point) ? "resumes from its checkpoint" : "starts over");
  }
  for (const auto& problem : report.submitted.problems) {
    cli::report(problem);
  }
  if (request.dry_run) {
    cli::report(fmt::format("{} points would be submitted again", report.points.size()));
  } else if (read_origin(OutFolder(request.out)).cluster.is_local()) {
    cli::report(fmt::format("{} points are free again; 'epochcast-jobs run {}' runs them",
                            report.points.size(), request.out));
  } else {
    cli::report(fmt::format("{} points submitted again", report.submitted.submitted));
  }
  return report.submitted.problems.empty() ? exit_done : exit_failed;
}

}  // namespace

cli::Subcommand resubmit_command() {
  return {
      "resubmit",
      {.usage =
           "epochcast-jobs resubmit OUT [--failed] [--timeout] [--missing] [--tainted] [--dry-run]",
       .summary = "Submits again what failed, was stopped, got lost or is tainted",
       .example = "epochcast-jobs resubmit out --timeout --missing",
       .options =
           {{"failed", "",
             "Points that failed; trainings begin anew, inference goes on behind what is answered"},
            {"timeout", "",
             "Points stopped early or killed at their time limit; they go on from the checkpoint"},
            {"missing", "",
             "Points that ended without a result: node lost, cancelled; they go on from a "
             "checkpoint if there is one"},
            {"tainted", "", "Complete points whose times should not be compared; they begin anew"},
            {"array", "", "One job array an allocation"},
            {"throttle", "N", "At most N of them run at once (0: no limit)",
             to_text(SubmitRequest{}.throttle)},
            filter_option(),
            {"dry-run", "", "Say what would be done"}},
       .positional = "OUT"},
      run};
}

}  // namespace epochcast::jobs
