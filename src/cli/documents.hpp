// What is generated from a program's table of subcommands and options: reference, man page, shell
// completion.
#pragma once

#include <string>

#include "src/cli/subcommand.hpp"

namespace epochcast::cli {

/// Markdown: a section per subcommand with its usage, summary, options and example.
std::string reference_page(const Program& program);

/// roff for man(1), section 1.
std::string man_page(const Program& program);

/// The script that a shell reads to complete subcommands, options and their values. `shell` is
/// "bash" or "zsh"; throws Error for another.
std::string completion_script(const Program& program, const std::string& shell);

}  // namespace epochcast::cli
