#include <fmt/format.h>

#include "jobs/commands/commands.hpp"
#include "jobs/plan/planned.hpp"
#include "src/cli/report.hpp"

namespace epochcast::jobs {
namespace {

int run_here(const cli::Arguments& arguments) {
  const auto report = run_planned({.out = only_word(arguments, "OUT"),
                                   .filters = arguments.all("filter"),
                                   .repeat_disturbed = arguments.has("repeat-disturbed")},
                                  cli::report);
  cli::report(fmt::format("{} complete, {} stopped, {} failed, {} skipped", report.complete,
                          report.stopped, report.failed, report.excluded));
  return report.exit_status();
}

}  // namespace

cli::Subcommand run_command_here() {
  return {"run",
          {.usage = "epochcast-jobs run OUT [--filter COLUMN=VALUE] [--repeat-disturbed]",
           .summary = "Runs the scripts of OUT on this machine, without Slurm",
           .example = "epochcast-jobs run out",
           .options = {filter_option(),
                       {"repeat-disturbed", "",
                        "Run points again that others disturbed, by their telemetry, also those of "
                        "earlier runs; at most twice"}},
           .positional = "OUT"},
          run_here};
}

}  // namespace epochcast::jobs
