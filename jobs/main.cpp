// epochcast-jobs: from an experiment and a cluster to jobs, and from jobs to what became of them.
#include "jobs/commands/commands.hpp"
#include "src/core/error.hpp"

int main(int argc, char** argv) {
  return epochcast::run_program("epochcast-jobs", [&] {
    return epochcast::cli::run_subcommand(
        "epochcast-jobs", "From an experiment and a cluster to jobs, and what became of them.",
        epochcast::jobs::all_commands(), {argv + 1, argv + argc});
  });
}
