// epochcast-jobs: turns an experiment and a cluster profile into jobs and reports their state.
#include "jobs/commands/commands.hpp"
#include "src/base/core/error.hpp"

int main(int argc, char** argv) {
  using namespace epochcast;
  return run_program("epochcast-jobs", [&] {
    return cli::run_subcommand(
        {.name = "epochcast-jobs",
         .summary = "Turns an experiment and a cluster profile into jobs and reports their state.",
         .commands = jobs::all_commands(),
         .reference = {{"experiment", jobs::experiment_page},
                       {"cluster", jobs::cluster_page},
                       {"status", jobs::status_reference}}},
        {argv + 1, argv + argc});
  });
}
