// Programs with subcommands: a table of names, help texts and functions, and the one function that
// dispatches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/cli/command_line.hpp"

namespace epochcast::cli {

struct Subcommand {
  std::string name;
  CommandSpec spec;
  int (*run)(const Arguments&);  ///< Returns the exit status.
  std::string old_name = {};     ///< Accepted too, but not shown in the help.
};

/// A program: its help, completion and man page are made from this.
struct Program {
  std::string name;
  std::string summary;
  std::vector<Subcommand> commands;  ///< One without a name: the program has no subcommands.
  /// Further lines of --version: the libraries that matter.
  std::vector<std::string> (*libraries)() = nullptr;
};

/// Runs the subcommand named by words[0]. Every program also has --help, --version, `help
/// SUBCOMMAND`, --completion bash|zsh, --man-page and --reference. Returns the exit status. Throws
/// Error for an unknown subcommand, with the nearest name.
int run_subcommand(const Program& program, const std::vector<std::string>& words);

/// The help of the whole program: its subcommands, one per line.
std::string overview(const Program& program);

/// "epochcast-jobs 0.1.0 (revision 1a2b3c4)" and a line for each of the program's libraries.
std::string version_text(const Program& program);

}  // namespace epochcast::cli
