#include <fmt/format.h>

#include <map>

#include "analysis/commands/commands.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::analysis {
namespace {

int run_validate(const cli::Arguments& arguments) {
  static const std::map<std::string, std::string> options{
      {"scaling", "--fill"},      {"surface", "--fill"},  {"layouts", "--fill"},
      {"memory", "--fill"},       {"devices", "--pairs"}, {"waits", "--jobs waits"},
      {"history", "--jobs times"}};
  const auto kind = words_after(arguments, 0, "KIND").front();
  const auto option = options.find(kind);
  throw Error(
      fmt::format("validate {}: 'predict FILE {}' forecasts each, and tests/bench/score.py "
                  "scores that",
                  kind, option == options.end() ? "--each K" : option->second));
}

}  // namespace

cli::Subcommand validate_command() {
  return {"validate",
          {.usage = "epochcast-analyze validate KIND",
           .summary = "Says which option of predict forecasts what is scored by "
                      "tests/bench/score.py",
           .example = "epochcast-analyze validate waits",
           .options = {},
           .positional = "KIND FILE..."},
          run_validate};
}

}  // namespace epochcast::analysis
