#include "jobs/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace epochcast::jobs {
namespace {

std::vector<Subcommand> all_commands() {
  return {generate_command(), check_command(),    submit_command(), run_command_here(),
          status_command(),   resubmit_command(), plan_command(),   lower_command(),
          launch_command(),   cluster_command()};
}

std::string overview(const std::vector<Subcommand>& commands) {
  std::string text =
      "usage: epochcast-jobs SUBCOMMAND ...\n\nFrom an experiment and a cluster to jobs, and what "
      "became of them.\n\n";
  for (const auto& command : commands) {
    text += fmt::format("  {:<10} {}\n", command.name, command.spec.summary);
  }
  return text +
         "\nEach has --help. Exit status: 0 done, 1 something failed, 2 bad input, 75 stopped "
         "early.\n";
}

}  // namespace

int run_subcommand(const std::vector<std::string>& words) {
  const auto commands = all_commands();
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    fmt::print("{}", overview(commands));
    return words.empty() ? exit_bad_input : exit_done;
  }
  std::vector<std::string> names;
  for (const auto& command : commands) {
    if (command.name == words[0]) {
      const auto arguments = parse_command_line(command.spec, {words.begin() + 1, words.end()});
      if (arguments.has("help")) {
        fmt::print("{}", help_text(command.spec));
        return exit_done;
      }
      return command.run(arguments);
    }
    names.push_back(command.name);
  }
  throw Error(fmt::format("unknown subcommand '{}'{}", words[0], did_you_mean(words[0], names)));
}

std::string only_word(const Arguments& arguments, const std::string& what) {
  if (arguments.positional().size() != 1) {
    throw Error(fmt::format("found {} words, expected one: {} (see --help)",
                            arguments.positional().size(), what));
  }
  return arguments.positional().front();
}

Option filter_option() {
  return {"filter", "COLUMN=VALUE", "Only points with this value (of several, commas between)", "",
          true};
}

void say(const std::string& line) {
  fmt::print(stderr, "epochcast-jobs: {}\n", line);
}

}  // namespace epochcast::jobs
