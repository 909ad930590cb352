#include "src/cli/documents.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "epochcast/version.hpp"
#include "src/core/text.hpp"

namespace epochcast::cli {
namespace {

bool has_subcommands(const Program& program) {
  return !program.commands.front().name.empty();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

/// "--output FILE" or "--output FILE, -o".
std::string option_form(const Option& option) {
  const auto comma = option.name.find(',');
  return fmt::format("--{}{}{}", long_name(option), option.value.empty() ? "" : " " + option.value,
                     comma == std::string::npos ? "" : ", -" + option.name.substr(comma + 1));
}

std::string markdown_cell(const std::string& text) {
  return replaced(replaced(text, "|", "\\|"), "\n", " ");
}

std::string markdown_of(const Option& option) {
  const auto default_value = option.default_value.empty() || option.value.empty()
                                 ? ""
                                 : "`" + markdown_cell(option.default_value) + "`";
  return fmt::format("| `{}` | {} | {} |\n", markdown_cell(option_form(option)), default_value,
                     markdown_cell(option.meaning));
}

std::string markdown_of(const Program& program, const Subcommand& command) {
  auto text = command.name.empty() ? "" : fmt::format("## {} {}\n\n", program.name, command.name);
  text += fmt::format("{}\n\n```\n{}\n```\n", command.spec.summary, command.spec.usage);
  if (!command.spec.options.empty()) {
    text += "\n| option | default | meaning |\n|---|---|---|\n";
  }
  for (const auto& option : command.spec.options) {
    text += markdown_of(option);
  }
  if (!command.spec.example.empty()) {
    text += fmt::format("\nExample: `{}`\n", command.spec.example);
  }
  return text + "\n";
}

/// Text that roff prints as it is.
std::string roff(const std::string& text) {
  auto safe = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  if (safe.starts_with('.') || safe.starts_with('\'')) {
    safe.insert(0, "\\&");
  }
  return safe;
}

std::string roff_of(const Subcommand& command) {
  auto text = command.name.empty() ? std::string(".SH OPTIONS\n")
                                   : fmt::format(".SS {}\n", roff(command.name));
  text +=
      fmt::format("{}\n.PP\n.nf\n{}\n.fi\n", roff(command.spec.summary), roff(command.spec.usage));
  for (const auto& option : command.spec.options) {
    const bool shown = !option.default_value.empty() && !option.value.empty();
    text += fmt::format(".TP\n.B {}\n{}{}\n", roff(option_form(option)), roff(option.meaning),
                        shown ? roff(fmt::format(" [{}]", option.default_value)) : "");
  }
  if (!command.spec.example.empty()) {
    text += fmt::format(".PP\nExample:\n.PP\n.nf\n{}\n.fi\n", roff(command.spec.example));
  }
  return text;
}

std::string function_name(const Program& program) {
  return "_" + replaced(program.name, "-", "_");
}

std::string options_of(const Subcommand& command) {
  std::vector<std::string> names{"--help"};
  for (const auto& option : command.spec.options) {
    names.push_back("--" + long_name(option));
  }
  return join(names, " ");
}

std::string subcommand_names(const Program& program) {
  std::vector<std::string> names{"help", "--help", "--version"};
  for (const auto& command : program.commands) {
    names.push_back(command.name);
  }
  return join(names, " ");
}

/// The case of `$previous` that offers the values of an option which has a list of them.
std::string bash_values(const Program& program) {
  std::vector<std::string> seen;
  std::string text;
  for (const auto& command : program.commands) {
    for (const auto& option : command.spec.options) {
      const auto name = long_name(option);
      if (option.choices.empty() || std::ranges::find(seen, name) != seen.end()) {
        continue;
      }
      seen.push_back(name);
      text +=
          fmt::format("    --{}) choices={} ;;\n", name, shell_quote(join(option.choices, " ")));
    }
  }
  return text;
}

std::string bash_script(const Program& program) {
  const auto function = function_name(program);
  std::string text = fmt::format("# Bash completion for {0}.\n{1}() {{\n", program.name, function);
  text +=
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options= "
      "choices=\n";
  // "--format=csv" reaches the function as three words.
  text +=
      "  [[ $previous != = ]] || previous=${COMP_WORDS[COMP_CWORD-2]}\n  [[ $current != = ]] || "
      "current=\n";
  text += fmt::format("  case $previous in\n{}  esac\n", bash_values(program));
  text +=
      "  if [[ -n $choices ]]; then COMPREPLY=($(compgen -W \"$choices\" -- \"$current\")); "
      "return; fi\n";
  if (has_subcommands(program)) {
    text += fmt::format(
        "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W {} -- \"$current\")); return; fi\n",
        shell_quote(subcommand_names(program)));
    text += "  case ${COMP_WORDS[1]} in\n";
    for (const auto& command : program.commands) {
      text +=
          fmt::format("    {}) options={} ;;\n", command.name, shell_quote(options_of(command)));
    }
    text +=
        fmt::format("    help) options={} ;;\n  esac\n", shell_quote(subcommand_names(program)));
    text +=
        "  if [[ ${COMP_WORDS[1]} == help ]]; then COMPREPLY=($(compgen -W \"$options\" -- "
        "\"$current\")); return; fi\n";
  } else {
    text += fmt::format("  options={}\n", shell_quote(options_of(program.commands.front())));
  }
  text +=
      "  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n";
  text += "  else COMPREPLY=($(compgen -f -- \"$current\")); fi\n";
  return text + fmt::format("}}\ncomplete -o filenames -F {} {}\n", function, program.name);
}

/// Text within a zsh specification in single quotes, where brackets and colons have a meaning.
std::string zsh_text(std::string text) {
  for (const auto& [what, by] : {std::pair{"\\", "\\\\"},
                                 {"[", "\\["},
                                 {"]", "\\]"},
                                 {":", "\\:"},
                                 {"'", "'\\''"},
                                 {"`", ""}}) {
    text = replaced(text, what, by);
  }
  return text;
}

std::string zsh_option(const Option& option) {
  const auto values = option.choices.empty() ? std::string("_files")
                                             : fmt::format("({})", join(option.choices, " "));
  const auto argument =
      option.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(option.value), values);
  return fmt::format("'{}--{}{}[{}]{}'", option.repeated ? "*" : "", long_name(option),
                     option.value.empty() ? "" : "=", zsh_text(option.meaning), argument);
}

std::string zsh_arguments(const Subcommand& command) {
  std::string text = "_arguments '--help[print the help]'";
  for (const auto& option : command.spec.options) {
    text += " \\\n        " + zsh_option(option);
  }
  return text + " \\\n        '*:file:_files'";
}

std::string zsh_script(const Program& program) {
  const auto function = function_name(program);
  auto text = fmt::format("#compdef {}\n{}() {{\n", program.name, function);
  if (!has_subcommands(program)) {
    return text +
           fmt::format("  {}\n}}\n{} \"$@\"\n", zsh_arguments(program.commands.front()), function);
  }
  text += "  local -a commands=(\n";
  for (const auto& command : program.commands) {
    text += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.spec.summary));
  }
  text += "    'help:print the help of a subcommand'\n  )\n";
  text += "  if ((CURRENT == 2)); then _describe subcommand commands; return; fi\n";
  text += "  case $words[2] in\n    help) _describe subcommand commands ;;\n";
  for (const auto& command : program.commands) {
    text += fmt::format("    {}) {} ;;\n", command.name, zsh_arguments(command));
  }
  return text + fmt::format("  esac\n}}\n{} \"$@\"\n", function);
}

}  // namespace

std::string reference_page(const Program& program) {
  auto text = fmt::format("# {}\n\n{}\n\n", program.name, program.summary);
  for (const auto& command : program.commands) {
    text += markdown_of(program, command);
  }
  return text;
}

std::string man_page(const Program& program) {
  auto text =
      fmt::format(".TH {} 1 \"\" \"Epochcast {}\" \"Epochcast\"\n.SH NAME\n{} \\- {}\n",
                  roff(program.name), tool_version, roff(program.name), roff(program.summary));
  text += ".SH SYNOPSIS\n";
  for (const auto& command : program.commands) {
    text += fmt::format("{}\n.br\n", roff(command.spec.usage));
  }
  if (has_subcommands(program)) {
    text += ".SH SUBCOMMANDS\n";
  }
  for (const auto& command : program.commands) {
    text += roff_of(command);
  }
  return text +
         ".SH EXIT STATUS\n0 done, 1 something failed, 2 bad input, 75 stopped early with a "
         "checkpoint.\n";
}

std::string completion_script(const Program& program, const std::string& shell) {
  if (shell == "bash") {
    return bash_script(program);
  }
  if (shell == "zsh") {
    return zsh_script(program);
  }
  throw Error(fmt::format("--completion: found '{}', expected one of bash, zsh", shell));
}

}  // namespace epochcast::cli
