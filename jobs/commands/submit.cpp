#include "jobs/submit/submit.hpp"

#include <fmt/format.h>

#include "jobs/commands/commands.hpp"
#include "src/cli/report.hpp"
#include "src/core/error.hpp"

namespace epochcast::jobs {
namespace {

int run(const cli::Arguments& arguments) {
  SubmitRequest request;
  request.out = only_word(arguments, "OUT");
  request.filters = arguments.all("filter");
  request.dry_run = arguments.has("dry-run");
  request.array = arguments.has("array");
  cli::read_option(arguments, "throttle", request.throttle, ">=0");
  const auto report = submit(request);
  for (const auto& command : report.commands) {
    fmt::print("{}\n", command);
  }
  for (const auto& problem : report.problems) {
    cli::report(problem);
  }
  if (report.found > 0) {
    cli::report(
        fmt::format("{} points of an earlier call were at the scheduler already", report.found));
  }
  cli::report(fmt::format("{} points {}, {} had a job or a result",
                          request.dry_run ? report.commands.size() : report.submitted,
                          request.dry_run ? "would be submitted" : "submitted", report.had));
  return report.problems.empty() ? exit_done : exit_failed;
}

}  // namespace

cli::Subcommand submit_command() {
  return {
      "submit",
      {.usage =
           "epochcast-jobs submit OUT [--array] [--throttle N] [--filter COLUMN=VALUE] [--dry-run]",
       .summary = "Hands every point that has no job yet to sbatch",
       .example = "epochcast-jobs submit out --array --throttle 4",
       .options = {{"array", "", "One job array an allocation, within the site's limit"},
                   {"throttle", "N", "At most N of them run at once (0: no limit)",
                    to_text(SubmitRequest{}.throttle)},
                   filter_option(),
                   {"dry-run", "", "Print the calls of sbatch and make none"}},
       .positional = "OUT"},
      run};
}

}  // namespace epochcast::jobs
