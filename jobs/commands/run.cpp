#include <fmt/format.h>

#include "jobs/commands/commands.hpp"
#include "jobs/plan/planned.hpp"
#include "jobs/submit/notify.hpp"
#include "src/base/cli/report.hpp"

namespace epochcast::jobs {
namespace {

int run_here(const cli::Arguments& arguments) {
  const auto out = only_word(arguments, "OUT");
  notify_if_ended(out, cli::report);  // of an earlier call that was killed
  const auto report = run_planned({.out = out,
                                   .filters = arguments.all("filter"),
                                   .repeat_disturbed = repeats_of_disturbed(arguments)},
                                  cli::report);
  cli::report(fmt::format("{} complete, {} stopped, {} failed, {} skipped", report.complete,
                          report.stopped, report.failed, report.excluded));
  notify_if_ended(out, cli::report);
  return report.exit_status();
}

}  // namespace

cli::Subcommand run_command_here() {
  return {"run",
          {.usage = "epochcast-jobs run OUT [--filter COLUMN=VALUE] [--repeat-disturbed N]",
           .summary = "Runs the scripts of OUT on this machine, without Slurm",
           .example = "epochcast-jobs run out",
           .options = {filter_option(), repeat_disturbed_option()},
           .positional = "OUT"},
          run_here};
}

}  // namespace epochcast::jobs
