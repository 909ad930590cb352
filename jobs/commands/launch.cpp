#include "src/base/process/launch.hpp"

#include "jobs/commands/commands.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::jobs {
namespace {

int run_launch(const cli::Arguments& arguments) {
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
       .summary = "Starts N tasks of a distributed run on this machine, like srun",
       .example = "epochcast-jobs launch --tasks=2 -- epochcast-train --model=mlp --dataset=disc",
       .options = {{"tasks", "N", "Number of tasks, at most 4096"},
                   {"cpus-per-task", "N", "CPUs that each task is bound to (default: all)"},
                   {"patience", "TIME",
                    "Time until the other tasks are killed after a failure, SIGTERM or SIGINT; a "
                    "second signal kills at once",
                    to_text(process::LaunchRequest{}.patience)}},
       .positional = "COMMAND..."},
      run_launch};
}

}  // namespace epochcast::jobs
