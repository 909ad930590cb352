// epochcast-jobs: generates, submits and follows the jobs of an experiment on a cluster.
#include "jobs/commands/commands.hpp"
#include "src/core/error.hpp"

int main(int argc, char** argv) {
  return epochcast::run_program("epochcast-jobs", [&] {
    return epochcast::cli::run_subcommand(
        {"epochcast-jobs", "Generates, submits and follows the jobs of an experiment on a cluster.",
         epochcast::jobs::all_commands()},
        {argv + 1, argv + argc});
  });
}
