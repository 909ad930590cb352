#include <fmt/format.h>

#include "jobs/commands.hpp"
#include "jobs/launch.hpp"
#include "src/core/error.hpp"
#include "src/core/quantity.hpp"
#include "src/core/text.hpp"

namespace epochcast::jobs {
namespace {

std::int64_t count_of(const Arguments& arguments, const std::string& name, std::int64_t least) {
  const auto count = parse_integer(arguments.get(name));
  if (!count || *count < least) {
    throw Error(fmt::format("--{}: found '{}', expected a whole number >={}", name,
                            arguments.get(name), least));
  }
  return *count;
}

double patience_of(const Arguments& arguments) {
  Seconds patience;
  try {
    from_text(arguments.get("patience"), patience);
    check_allowed(to_text(patience), ">=0");
  } catch (const Error& error) {
    throw Error(fmt::format("--patience: {}", error.what()));
  }
  return patience.value;
}

int run(const Arguments& arguments) {
  if (!arguments.has("tasks")) {
    throw Error("--tasks is missing; expected epochcast-jobs launch --tasks=N -- COMMAND...");
  }
  LaunchRequest request{.tasks = count_of(arguments, "tasks", 1),
                        .command = arguments.positional(),
                        .patience_s = patience_of(arguments)};
  if (arguments.has("cpus-per-task")) {
    request.cpus = count_of(arguments, "cpus-per-task", 1);
  }
  if (request.command.empty()) {
    throw Error("no command given; expected epochcast-jobs launch --tasks=N -- COMMAND...");
  }
  return launch(request);
}

}  // namespace

Subcommand launch_command() {
  return {
      "launch",
      {.usage = "epochcast-jobs launch --tasks=N -- COMMAND...",
       .summary =
           "Starts N copies of a program that train together, on this machine, as srun would",
       .example = "epochcast-jobs launch --tasks=2 -- epochcast-train --model=mlp --dataset=disc",
       .options = {{"tasks", "N", "How many"},
                   {"cpus-per-task", "N", "CPUs that each is bound to (else it may use all)"},
                   {"patience", "TIME",
                    "So long after one failed, or after a first SIGTERM or SIGINT, the others are "
                    "killed; a second one kills at once",
                    "30s"}},
       .positional = "COMMAND..."},
      run};
}

}  // namespace epochcast::jobs
