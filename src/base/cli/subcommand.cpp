#include "src/base/cli/subcommand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "src/base/core/error.hpp"
#include "src/base/core/version.hpp"

namespace epochcast::cli {
namespace {

const Subcommand& find_subcommand(const Program& program, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& command : program.commands) {
    if (command.name == name) {
      return command;
    }
    names.push_back(command.name);
  }
  throw Error(fmt::format("unknown subcommand '{}'{}", name, did_you_mean(name, names)));
}

std::string reference_text(const Program& program, const std::string& name) {
  std::vector<std::string> names{"commands"};
  if (name == names.front()) {
    return command_reference(program);
  }
  for (const auto& page : program.reference) {
    if (page.name == name) {
      return page.text();
    }
    names.push_back(page.name);
  }
  throw Error(fmt::format("--reference: unknown page '{}'{}", name, did_you_mean(name, names)));
}

const std::string& option_value(const std::vector<std::string>& words) {
  if (words.size() < 2) {
    throw Error(fmt::format("option '{}' needs a value", words.front()));
  }
  return words[1];
}

int print_help(const Program& program, const std::vector<std::string>& words) {
  const auto text =
      words.size() < 2 ? overview(program) : help_text(find_subcommand(program, words[1]).spec);
  fmt::print("{}", text);
  return exit_done;
}

}  // namespace

std::string version_text(const Program& program) {
  const auto text = fmt::format("{} {} (revision {})\n", program.name, tool_version, tool_revision);
  return program.libraries ? text + program.libraries() + "\n" : text;
}

std::string overview(const Program& program) {
  if (program.commands.empty()) {
    return help_text(program.spec);
  }
  std::size_t width = 0;
  for (const auto& command : program.commands) {
    width = std::max(width, command.name.size());
  }
  auto text = fmt::format("usage: {} SUBCOMMAND ...\n\n{}\n\n", program.name, program.summary);
  for (const auto& command : program.commands) {
    text += fmt::format("  {:<{}}  {}\n", command.name, width, command.spec.summary);
  }
  return text + fmt::format(
                    "\n`{0} help SUBCOMMAND` prints the options of a subcommand, `{0} --version` "
                    "the version.\nExit status: 0 done, 1 something failed, 2 bad input, 75 "
                    "stopped early.\n",
                    program.name);
}

bool print_about(const Program& program, const std::vector<std::string>& words) {
  if (words.empty()) {
    return false;
  }
  const auto& first = words.front();
  if (first == "--version") {
    fmt::print("{}", version_text(program));
  } else if (first == "--man") {
    fmt::print("{}", manual_page(program));
  } else if (first == "--completion") {
    fmt::print("{}", completion_script(program, option_value(words)));
  } else if (first == "--reference") {
    fmt::print("{}", reference_text(program, option_value(words)));
  } else {
    return false;
  }
  return true;
}

int run_subcommand(const Program& program, const std::vector<std::string>& given) {
  if (given.empty()) {
    fmt::print(stderr, "{}", overview(program));
    return exit_bad_input;
  }
  if (print_about(program, given)) {
    return exit_done;
  }
  auto words = given;
  if (words[0] == "help" || words[0] == "--help" || words[0] == "-h") {
    return print_help(program, words[0] == "help" ? words : std::vector<std::string>{});
  }
  if (!program.default_command.empty() && words.front().starts_with('-')) {
    words.insert(words.begin(), program.default_command);
  }
  const auto& command = find_subcommand(program, words.front());
  const auto arguments = parse_command_line(command.spec, {words.begin() + 1, words.end()});
  if (arguments.has("help")) {
    fmt::print("{}", help_text(command.spec));
    return exit_done;
  }
  return command.run(arguments);
}

}  // namespace epochcast::cli
