// Starts a program of the archive with the archive's own loader and libraries, so that it runs on
// any Linux, from any folder. Static, and so without a library of the system. Each name in bin/ is
// a link to it:
//
//   bin/NAME -> ../libexec/epochcast/launcher
//   libexec/epochcast/NAME, and epochcast-train-SERIES, one for each series of LibTorch
//   lib/epochcast: ld-linux-x86-64.so.2, libc.so.6, ...
//
// A wheel has no links: there each bin/NAME is a script that runs `launcher NAME ARGUMENT...`.
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/programs/launcher/torch_search.hpp"

namespace epochcast::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* loader = "ld-linux-x86-64.so.2";

/// What python3 on PATH would import as torch; empty if there is none. Nothing is imported.
fs::path torch_of_python() {
  // NOLINTNEXTLINE(bugprone-command-processor): a fixed command without arguments of the user
  FILE* python = popen(
      "python3 -c \"import importlib.util as u; s = u.find_spec('torch'); "
      "print(list(s.submodule_search_locations)[0] if s else '')\" 2>/dev/null",
      "r");
  std::string text;
  for (int c = 0; python != nullptr && (c = std::fgetc(python)) != EOF && c != '\n';) {
    text += static_cast<char>(c);
  }
  if (python != nullptr) {
    pclose(python);
  }
  return text;
}

/// Takes `--torch DIR` or `--torch=DIR` out of the arguments.
std::string take_torch_option(std::vector<std::string>& words) {
  for (auto word = words.begin(); word != words.end() && *word != "--"; ++word) {
    if (word->starts_with("--torch=")) {
      const auto folder = word->substr(8);
      words.erase(word);
      return folder;
    }
    if (*word == "--torch") {
      if (word + 1 == words.end()) {
        throw std::runtime_error("--torch: found no value, expected a folder");
      }
      const auto folder = *(word + 1);
      words.erase(word, word + 2);
      return folder;
    }
  }
  return "";
}

/// In the order of docs/howto/install.md; python3 is asked last, since that takes longest.
std::optional<Torch> torch_for(std::vector<std::string>& words, const fs::path& prefix) {
  std::vector<Candidate> candidates;
  const char* variable = std::getenv("EPOCHCAST_TORCH");
  if (const auto option = take_torch_option(words); !option.empty()) {
    candidates.push_back({option, "--torch"});
  } else if (variable != nullptr && *variable != '\0') {
    candidates.push_back({variable, "EPOCHCAST_TORCH"});
  }
  candidates.push_back({prefix / "lib/torch", "lib/torch of the archive", false});
  for (const auto& folder : site_packages(prefix)) {
    candidates.push_back({folder, "the torch package beside epochcast", false});
  }
  if (auto torch = find_torch(candidates)) {
    return torch;
  }
  return find_torch({{torch_of_python(), "the torch package of python3", false}});
}

int run(std::vector<std::string> words) {
  const auto prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path().parent_path();
  const auto programs = prefix / "libexec/epochcast";
  // NOLINTNEXTLINE(performance-no-int-to-ptr): getauxval(3) returns an address
  auto name = fs::path(reinterpret_cast<const char*>(getauxval(AT_EXECFN))).filename().string();
  if (name == "launcher" && !words.empty()) {
    name = words.front();
    words.erase(words.begin());
  }
  auto library_path = (prefix / "lib/epochcast").string();
  auto program = programs / name;
  if (name == "epochcast-train") {
    const auto torch = torch_for(words, prefix);
    program = trainer_for(torch, programs);
    library_path += ":" + torch->library_path();
    // The loader would ignore it for the sake of --library-path; containers name the driver's
    // folder here.
    if (const char* more = std::getenv("LD_LIBRARY_PATH"); more != nullptr && *more != '\0') {
      library_path += ":" + std::string(more);
    }
  }
  std::vector<std::string> all{prefix / "lib/epochcast" / loader,
                               "--library-path",
                               library_path,
                               "--argv0",
                               program,
                               program};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (auto& word : all) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  throw std::runtime_error("cannot start " + all[0] + ": is the archive unpacked whole?");
}

}  // namespace
}  // namespace epochcast::launcher

int main(int argc, char** argv) {
  try {
    return epochcast::launcher::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "epochcast: error: %s\n", error.what());
    return 2;
  }
}
