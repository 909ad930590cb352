#include "src/process/launch.hpp"

#include "jobs/commands/commands.hpp"
#include "src/core/error.hpp"
#include "src/core/quantity.hpp"

namespace epochcast::jobs {
namespace {

int run(const cli::Arguments& arguments) {
  if (!arguments.has("tasks")) {
    throw Error("--tasks is missing; expected epochcast-jobs launch --tasks=N -- COMMAND...");
  }
  process::LaunchRequest request{.command = arguments.positional()};
  cli::read_option(arguments, "tasks", request.tasks, "1..4096");
  if (arguments.has("cpus-per-task")) {
    cli::read_option(arguments, "cpus-per-task", request.cpus, "1..1000000");
  }
  cli::read_option(arguments, "patience", request.patience, ">=0");
  if (request.command.empty()) {
    throw Error("no command given; expected epochcast-jobs launch --tasks=N -- COMMAND...");
  }
  return process::launch(request);
}

}  // namespace

cli::Subcommand launch_command() {
  return {
      "launch",
      {.usage = "epochcast-jobs launch --tasks=N -- COMMAND...",
       .summary =
           "Starts N copies of a program that train together, on this machine, as srun would",
       .example = "epochcast-jobs launch --tasks=2 -- epochcast-train --model=mlp --dataset=disc",
       .options = {{"tasks", "N", "Number of copies, at most 4096"},
                   {"cpus-per-task", "N", "CPUs that each is bound to (else it may use all)"},
                   {"patience", "TIME",
                    "So long after one failed, or after a first SIGTERM or SIGINT, the others are "
                    "killed; a second one kills at once",
                    to_text(process::LaunchRequest{}.patience)}},
       .positional = "COMMAND..."},
      run};
}

}  // namespace epochcast::jobs
