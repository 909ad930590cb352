// Programs with subcommands: a table of name, words for the help and function, and the one place
// that walks it.
#pragma once

#include <string>
#include <vector>

#include "src/cli/command_line.hpp"

namespace epochcast::cli {

struct Subcommand {
  std::string name;
  CommandSpec spec;
  int (*run)(const Arguments&);  ///< Returns the exit status.
  std::string old_name = {};     ///< A former name, still accepted but not listed; may be empty.
};

/// Runs the subcommand named by words[0]; prints the help of the program or of the subcommand where
/// that is asked for. Throws Error for an unknown one, with the nearest.
int run_subcommand(const std::string& program, const std::string& summary,
                   const std::vector<Subcommand>& commands, const std::vector<std::string>& words);

}  // namespace epochcast::cli
