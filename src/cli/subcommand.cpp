#include "src/cli/subcommand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "epochcast/version.hpp"
#include "src/cli/documents.hpp"
#include "src/core/error.hpp"

namespace epochcast::cli {
namespace {

const Subcommand& find_subcommand(const Program& program, const std::string& name) {
  std::vector<std::string> names{"help"};
  for (const auto& command : program.commands) {
    if (command.name == name || (!command.old_name.empty() && command.old_name == name)) {
      return command;
    }
    names.push_back(command.name);
  }
  throw Error(fmt::format("unknown subcommand '{}'{}", name, did_you_mean(name, names)));
}

int print(const std::string& text) {
  fmt::print("{}", text);
  return exit_done;
}

/// The options of the program itself; nothing if `words` begin with none of them.
std::optional<int> run_own_option(const Program& program, const std::vector<std::string>& words) {
  const auto& word = words.front();
  if (word == "--version") {
    return print(version_text(program));
  }
  if (word == "--reference") {
    return print(reference_page(program));
  }
  if (word == "--man-page") {
    return print(man_page(program));
  }
  if (word == "--completion") {
    return print(completion_script(program, words.size() > 1 ? words[1] : ""));
  }
  if (word == "--help" || word == "-h" || word == "help") {
    return print(words.size() > 1 ? help_text(find_subcommand(program, words[1]).spec)
                                  : overview(program));
  }
  return std::nullopt;
}

int run(const Subcommand& command, const std::vector<std::string>& words) {
  const auto arguments = parse_command_line(command.spec, words);
  return arguments.has("help") ? print(help_text(command.spec)) : command.run(arguments);
}

}  // namespace

std::string overview(const Program& program) {
  if (program.commands.front().name.empty()) {
    return help_text(program.commands.front().spec);
  }
  auto text = fmt::format("usage: {} SUBCOMMAND ...\n\n{}\n\n", program.name, program.summary);
  for (const auto& command : program.commands) {
    text += fmt::format("  {:<14} {}\n", command.name, command.spec.summary);
  }
  return text + fmt::format(
                    "\n`{0} help SUBCOMMAND` prints its options and an example. `{0} --version`, "
                    "`{0} --completion bash|zsh`.\nExit status: 0 done, 1 something failed, 2 bad "
                    "input, 75 stopped early.\n",
                    program.name);
}

std::string version_text(const Program& program) {
  auto text = fmt::format("{} {} (revision {})\n", program.name, tool_version, tool_revision);
  if (program.libraries != nullptr) {
    for (const auto& library : program.libraries()) {
      text += library + "\n";
    }
  }
  return text;
}

int run_subcommand(const Program& program, const std::vector<std::string>& words) {
  const bool only_one = program.commands.front().name.empty();
  if (words.empty() && !only_one) {
    fmt::print(stderr, "{}", overview(program));
    return exit_bad_input;
  }
  if (!words.empty() && !(only_one && words.front() == "help")) {
    if (const auto status = run_own_option(program, words)) {
      return *status;
    }
  }
  if (only_one) {
    return run(program.commands.front(), words);
  }
  return run(find_subcommand(program, words.front()), {words.begin() + 1, words.end()});
}

}  // namespace epochcast::cli
