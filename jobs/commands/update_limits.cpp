#include "jobs/plan/update_limits.hpp"

#include "jobs/commands/commands.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::jobs {
namespace {

int run_update_limits(const cli::Arguments& arguments) {
  const auto& words = arguments.positional();
  if (words.size() != 2) {
    throw Error("expected two arguments: OUT PILOT (see --help)");
  }
  const auto problems = update_limits(words[0], words[1], cli::report);
  for (const auto& problem : problems) {
    cli::report(problem);
  }
  return problems.empty() ? exit_done : exit_failed;
}

}  // namespace

cli::Subcommand update_limits_command() {
  return {
      .name = "update-limits",
      .spec = {.usage = "epochcast-jobs update-limits OUT PILOT",
               .summary = "Forecasts the jobs that wait for a pilot and lowers their time limits",
               .example = "epochcast-jobs update-limits out dcgan.t4.e2.r0-k3m9x2q7ab",
               .options = {},
               .positional = "OUT PILOT"},
      .run = run_update_limits};
}

}  // namespace epochcast::jobs
