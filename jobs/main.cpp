// epochcast-jobs: from an experiment and a cluster to jobs, and from jobs to what became of them.
#include "jobs/commands.hpp"
#include "src/core/error.hpp"

int main(int argc, char** argv) {
  return epochcast::run_program("epochcast-jobs", [&] {
    return epochcast::jobs::run_subcommand({argv + 1, argv + argc});
  });
}
