#include "src/cli/subcommand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "src/core/error.hpp"

namespace epochcast::cli {
namespace {

std::string overview(const std::string& program, const std::string& summary,
                     const std::vector<Subcommand>& commands) {
  auto text = fmt::format("usage: {} SUBCOMMAND ...\n\n{}\n\n", program, summary);
  for (const auto& command : commands) {
    text += fmt::format("  {:<13} {}\n", command.name, command.spec.summary);
  }
  return text +
         "\nEach has --help. Exit status: 0 done, 1 something failed, 2 bad input, 75 stopped "
         "early.\n";
}

const Subcommand& find_subcommand(const std::vector<Subcommand>& commands,
                                  const std::string& name) {
  std::vector<std::string> names;
  for (const auto& command : commands) {
    if (command.name == name || (!name.empty() && command.old_name == name)) {
      return command;
    }
    names.push_back(command.name);
  }
  throw Error(fmt::format("unknown subcommand '{}'{}", name, did_you_mean(name, names)));
}

}  // namespace

int run_subcommand(const std::string& program, const std::string& summary,
                   const std::vector<Subcommand>& commands, const std::vector<std::string>& words) {
  if (words.empty()) {
    fmt::print(stderr, "{}", overview(program, summary, commands));
    return exit_bad_input;
  }
  if (words.front() == "--help" || words.front() == "-h") {
    fmt::print("{}", overview(program, summary, commands));
    return exit_done;
  }
  const auto& command = find_subcommand(commands, words.front());
  const auto arguments = parse_command_line(command.spec, {words.begin() + 1, words.end()});
  if (arguments.has("help")) {
    fmt::print("{}", help_text(command.spec));
    return exit_done;
  }
  return command.run(arguments);
}

}  // namespace epochcast::cli
