#include "analysis/commands.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "src/core/error.hpp"

namespace epochcast {

void say(const std::string& line) {
  fmt::print(stderr, "epochcast-analyze: {}\n", line);
}

std::vector<std::string> words_behind(const Arguments& arguments, std::size_t skipped,
                                      const std::string& what) {
  const auto& words = arguments.positional();
  if (words.size() <= skipped) {
    throw Error(fmt::format("{} is missing (see --help)", what));
  }
  return {words.begin() + static_cast<std::ptrdiff_t>(skipped), words.end()};
}

LoadedRecords load_and_say(const std::vector<std::string>& paths) {
  auto loaded = load_records(paths);
  for (const auto& line : loaded.damaged) {
    say("skipped: " + line);
  }
  return loaded;
}

int status_of(const LoadedRecords& loaded) {
  return loaded.damaged.empty() ? exit_done : exit_failed;
}

}  // namespace epochcast
