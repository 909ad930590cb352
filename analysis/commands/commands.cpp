#include "analysis/commands/commands.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "src/cli/report.hpp"
#include "src/core/error.hpp"

namespace epochcast::analysis {

std::vector<std::string> words_after(const cli::Arguments& arguments, std::size_t skipped,
                                     const std::string& what) {
  const auto& words = arguments.positional();
  if (words.size() <= skipped) {
    throw Error(fmt::format("{} is missing (see --help)", what));
  }
  return {words.begin() + static_cast<std::ptrdiff_t>(skipped), words.end()};
}

}  // namespace epochcast::analysis
