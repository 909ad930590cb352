#include "jobs/plan/update_limits.hpp"

#include "jobs/commands/commands.hpp"
#include "src/cli/report.hpp"
#include "src/core/error.hpp"

namespace epochcast::jobs {
namespace {

int run(const cli::Arguments& arguments) {
  const auto& words = arguments.positional();
  if (words.size() != 2) {
    throw Error("expected two words: OUT PILOT (see --help)");
  }
  lower(words[0], words[1], cli::report);
  return exit_done;
}

}  // namespace

cli::Subcommand lower_command() {
  return {"lower",
          {.usage = "epochcast-jobs lower OUT PILOT",
           .summary =
               "The step behind a pilot: forecasts the jobs that wait for it, lowers their limits",
           .example = "epochcast-jobs lower out dcgan.t4.e2.r0-k3m9x2q7ab",
           .options = {},
           .positional = "OUT PILOT"},
          run};
}

}  // namespace epochcast::jobs
