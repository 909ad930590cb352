#include "src/base/core/command_words.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace epochcast {
namespace {

bool is_script(const std::string& word) {
  constexpr std::array ends{".py", ".sh", ".jl", ".R", ".lua", ".pl"};
  return !word.starts_with('-') &&
         std::ranges::any_of(ends, [&](const char* end) { return word.ends_with(end); });
}

/// Modules that start another script.
bool is_launcher(const std::string& module) {
  constexpr std::array launchers{"torch.distributed.run", "torch.distributed.launch",
                                 "accelerate.commands.launch", "deepspeed.launcher.runner"};
  return std::ranges::find(launchers, module) != launchers.end();
}

}  // namespace

std::size_t script_word(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] == "-m" && !is_launcher(words[i])) {
      return i;
    }
    if (is_script(words[i])) {
      return i;
    }
  }
  return 0;
}

bool starts_several(const std::vector<std::string>& words) {
  constexpr std::array programs{"torchrun", "accelerate", "deepspeed", "mpirun",
                                "mpiexec",  "horovodrun", "colossalai"};
  const auto end =
      words.begin() +
      static_cast<std::ptrdiff_t>(words.empty() ? 0 : std::max<std::size_t>(1, script_word(words)));
  return std::any_of(words.begin(), end, [&](const std::string& word) {
    const auto name = std::filesystem::path(word).filename().string();
    return is_launcher(word) || std::ranges::find(programs, name) != programs.end();
  });
}

std::string program_name(const std::vector<std::string>& words) {
  const auto at = script_word(words);
  const auto& word = words.at(at);
  const bool is_module = at > 0 && words[at - 1] == "-m";
  const auto name =
      is_module ? word.substr(word.rfind('.') + 1) : std::filesystem::path(word).stem().string();
  return name.empty() ? "program" : name;
}

}  // namespace epochcast
