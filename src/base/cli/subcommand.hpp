// Programs with subcommands: one table of name, help texts and function. --help, --version, shell
// completion, the manual page and the reference are made from the table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/base/cli/command_line.hpp"

namespace epochcast::cli {

struct Subcommand {
  std::string name;
  CommandSpec spec;
  int (*run)(const Arguments&);  ///< Returns the exit status.
};

/// A page of docs/reference that a program writes from its own tables.
struct ReferencePage {
  std::string name;       ///< "experiment": docs/reference/experiment.md.
  std::string (*text)();  ///< Markdown.
};

/// A program. It has either subcommands or, without any, one `spec` that it runs by itself.
struct Program {
  std::string name;
  std::string summary;
  std::vector<Subcommand> commands = {};
  std::string default_command = {};  ///< Runs if the first argument is one of its options.
  CommandSpec spec = {};             ///< Only for a program without subcommands.
  std::function<std::string()> libraries = {};  ///< Versions of libraries, for --version.
  std::vector<ReferencePage> reference = {};
  std::vector<Option> settings =
      {};  ///< Options that are keys of an experiment, whose page has them.
};

/// Runs the subcommand named by words[0]. Also answers --help, --version, `help SUBCOMMAND`,
/// `--completion bash|zsh`, `--man` and `--reference PAGE`. Throws Error for an unknown subcommand,
/// with the nearest name.
[[nodiscard]] int run_subcommand(const Program& program, const std::vector<std::string>& words);

/// Answers --version, --completion SHELL, --man and --reference PAGE as the first of `words`. True
/// if it printed one of them. Throws Error for an unknown shell or page.
[[nodiscard]] bool print_about(const Program& program, const std::vector<std::string>& words);

/// "epochcast-jobs 0.1.0 (revision 1a2b3c4d5e6f)", and the libraries on a separate line.
std::string version_text(const Program& program);

/// The help page of the program: all subcommands, one line each.
std::string overview(const Program& program);

/// The completion script for `shell`, "bash" or "zsh". Throws Error for another one.
std::string completion_script(const Program& program, const std::string& shell);

/// The manual page in man(7) format.
std::string manual_page(const Program& program);

/// The section of docs/reference/commands.md: the help of each subcommand, shared options once.
std::string command_reference(const Program& program);

}  // namespace epochcast::cli
