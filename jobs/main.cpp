// epochcast-jobs makes, submits and watches the jobs of an experiment.
#include "jobs/commands/commands.hpp"
#include "src/core/error.hpp"

int main(int argc, char** argv) {
  return epochcast::run_program("epochcast-jobs", [&] {
    return epochcast::cli::run_subcommand(
        "epochcast-jobs",
        "Makes jobs from an experiment and a cluster profile, submits them and shows their state.",
        epochcast::jobs::all_commands(), {argv + 1, argv + argc});
  });
}
