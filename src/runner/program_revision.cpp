#include "src/runner/program_revision.hpp"

#include <filesystem>

#include "src/base/core/command_words.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"

namespace epochcast::runner {

std::string program_revision(const std::vector<std::string>& command, const std::string& folder) {
  constexpr double timeout_s = 10;
  namespace fs = std::filesystem;
  const auto at = script_word(command);
  const fs::path start = folder.empty() ? "." : folder;
  const bool is_module = at > 0 && command[at - 1] == "-m";
  const auto file = start / command[at];
  std::error_code unreadable;
  if (!is_module && !fs::is_regular_file(file, unreadable)) {
    return "";
  }
  const auto answer =
      process::run_command({"git", "-C", is_module ? start : file.parent_path(), "describe",
                            "--always", "--dirty", "--abbrev=40", "--exclude=*"},
                           timeout_s, {{"GIT_OPTIONAL_LOCKS", "0"}});
  return answer.ok() ? std::string(trim(answer.out)) : "";
}

}  // namespace epochcast::runner
