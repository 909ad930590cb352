// Shell completion, made from the table of subcommands.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/cli/subcommand.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"

namespace epochcast::cli {
namespace {

std::string function_name(const std::string& program) {
  auto name = "_" + program;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<std::string> option_words(const CommandSpec& spec) {
  auto words = mapped(spec.options,
                      [](const auto& option) { return std::string("--" + option.long_name()); });
  words.emplace_back("--help");
  return words;
}

/// Branches "'generate --procedure') words='fast lab' ;;" for the options that have choices.
std::string value_branches(const std::string& command, const CommandSpec& spec) {
  std::string text;
  for (const auto& option : spec.options) {
    if (!option.choices.empty()) {
      text += fmt::format("      '{} --{}') words={} ;;\n", command, option.long_name(),
                          shell_quote(join(option.choices, " ")));
    }
  }
  return text;
}

std::string branch(const std::string& command, const std::vector<std::string>& words) {
  return fmt::format("      {}) words={} ;;\n", command, shell_quote(join(words, " ")));
}

/// Sets `words` from the variables `command` and `option` (the option that the value belongs to).
std::string choose_words(const Program& program) {
  std::vector<std::string> first{"--help", "--version"};
  std::string values, options;
  for (const auto& command : program.commands) {
    first.push_back(command.name);
    values += value_branches(command.name, command.spec);
    options += branch(command.name, option_words(command.spec));
  }
  if (program.commands.empty()) {
    values += value_branches("", program.spec);
    first = option_words(program.spec);
    first.emplace_back("--version");
    options += branch("*", first);
  } else {
    first.emplace_back("help");
    if (!program.default_command.empty()) {
      for (const auto& command : program.commands) {
        if (command.name == program.default_command) {
          options += branch("''", option_words(command.spec));
          values += value_branches("", command.spec);
        }
      }
    }
  }
  return fmt::format(
      "  if [[ -n $option ]]; then\n"
      "    case \"$command $option\" in\n"
      "{}"
      "      *) ;;\n"
      "    esac\n"
      "  elif ((first)); then\n"
      "    words={}\n"
      "  else\n"
      "    case $command in\n"
      "{}"
      "      *) ;;\n"
      "    esac\n"
      "  fi\n",
      values, shell_quote(join(first, " ")), options);
}

std::string bash_script(const Program& program) {
  const auto name = function_name(program.name);
  // Bash makes '=' a separate word: "--task=tr" arrives as "--task" "=" "tr".
  return fmt::format(
      "# bash completion of {0}, printed by `{0} --completion bash`\n"
      "{1}() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} words='' option='' command='' first=0\n"
      "  local before=$((COMP_CWORD - 1))\n"
      "  if [[ $current == = ]]; then\n"
      "    current=''\n"
      "    option=${{COMP_WORDS[before]}}\n"
      "  elif [[ ${{COMP_WORDS[before]}} == = && $before -gt 0 ]]; then\n"
      "    option=${{COMP_WORDS[before - 1]}}\n"
      "  elif [[ ${{COMP_WORDS[before]}} == --* && $current != -* ]]; then\n"
      "    option=${{COMP_WORDS[before]}}\n"
      "  fi\n"
      "  [[ $COMP_CWORD == 1 ]] && first=1\n"
      "  [[ ${{COMP_WORDS[1]}} != -* && $COMP_CWORD -gt 1 ]] && command=${{COMP_WORDS[1]}}\n"
      "{2}"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "}}\n"
      "complete -o default -F {1} {0}\n",
      program.name, name, choose_words(program));
}

std::string zsh_script(const Program& program) {
  const auto name = function_name(program.name);
  return fmt::format(
      "#compdef {0}\n"
      "# zsh completion of {0}, printed by `{0} --completion zsh`\n"
      "{1}() {{\n"
      "  local current=${{words[CURRENT]}} before=${{words[CURRENT-1]}} command='' option=''\n"
      "  local first=0 given=${{words[2]}} prefix=''\n"
      "  if [[ $current == --*=* ]]; then\n"
      "    option=${{current%%=*}}\n"
      "    prefix=$option=\n"
      "  elif [[ $before == --* && $current != -* ]]; then\n"
      "    option=$before\n"
      "  fi\n"
      "  ((CURRENT == 2)) && first=1\n"
      "  [[ $given != -* && CURRENT -gt 2 ]] && command=$given\n"
      "  local words=''\n"
      "{2}"
      "  compadd -P \"$prefix\" -- ${{=words}} || _files -P \"$prefix\"\n"
      "}}\n"
      "if [[ $funcstack[1] == _{0} ]]; then  # autoloaded from fpath by the first completion\n"
      "  {1}\n"
      "else\n"
      "  compdef {1} {0}\n"
      "fi\n",
      program.name, name, choose_words(program));
}

}  // namespace

std::string completion_script(const Program& program, const std::string& shell) {
  if (shell == "bash") {
    return bash_script(program);
  }
  if (shell == "zsh") {
    return zsh_script(program);
  }
  throw Error(fmt::format("--completion: found '{}', expected bash or zsh", shell));
}

}  // namespace epochcast::cli
