#include "jobs/experiment/command_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/accounting_cells.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;

struct JobScript {
  std::string options;                ///< Of its #SBATCH lines.
  std::vector<std::string> commands;  ///< Lines that may be the training, without srun.
};

/// Whether a line of a script only prepares or ends it.
bool is_around_command(const std::string& line) {
  static const std::set<std::string, std::less<>> around{
      "module", "ml",   "source", ".",    "export",   "cd",         "set",  "ulimit",
      "echo",   "date", "mkdir",  "wait", "hostname", "nvidia-smi", "exit", "conda"};
  const auto word = line.substr(0, line.find_first_of(" \t"));
  return around.contains(word) || (word == line && line.find('=') != std::string::npos);
}

/// Empty for a path that is no such script.
JobScript job_script(const fs::path& path) {
  constexpr std::uintmax_t longest = 100'000;
  constexpr std::string_view mark = "#SBATCH";
  std::error_code error;
  JobScript script;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > longest) {
    return script;
  }
  std::string begun;
  for (const auto& part : split(read_file(path), '\n')) {
    begun += trim(part);
    if (begun.ends_with('\\')) {
      begun.pop_back();
      begun = std::string(trim(begun)) + ' ';
      continue;
    }
    const auto line = std::exchange(begun, "");
    if (line.starts_with(mark)) {
      script.options += fmt::format("{}{}", script.options.empty() ? "" : " ",
                                    trim(std::string_view(line).substr(mark.size())));
    } else if (!line.empty() && line[0] != '#' && !is_around_command(line)) {
      const auto step = slurm::script_of(line);
      script.commands.push_back(step.empty() ? line : step);
    }
  }
  return script;
}

[[noreturn]] void refuse_submission(const std::vector<std::string>& words, const fs::path& folder) {
  const auto submitted = slurm::script_of(join(words, " "));
  const bool is_wrapped =
      std::ranges::any_of(words, [](const auto& word) { return word.starts_with("--wrap"); });
  const auto file = submitted.substr(0, submitted.find(' '));
  const auto script = is_wrapped || file.empty() ? JobScript{} : job_script(folder / file);
  const auto command = is_wrapped                    ? submitted
                       : script.commands.size() == 1 ? script.commands.front()
                                                     : "python3 train.py --epochs 10";
  throw Error(fmt::format(
      "{} submits a job and returns at once: only that would be timed. epochcast-jobs submits jobs "
      "itself, by the profile of the cluster (epochcast-jobs cluster detect){}. Give the command "
      "that the job runs: epochcast-jobs init -- {}",
      printable(words[0]),
      script.options.empty() ? ""
                             : fmt::format(", which must have what {} asks for: {}",
                                           printable(file), printable(script.options)),
      printable(command)));
}

/// "$HOME", "${x}", "$(pwd)", "`pwd`", "~/data".
bool is_for_a_shell(const std::string& word) {
  const auto at = word.find('$');
  const char next = at == std::string::npos || at + 1 == word.size() ? ' ' : word[at + 1];
  return std::isalpha(static_cast<unsigned char>(next)) != 0 ||
         std::string_view("_{(").find(next) != std::string_view::npos ||
         word.find('`') != std::string::npos || word.starts_with("~/");
}

}  // namespace

std::vector<std::string> command_notes(const std::vector<std::string>& words,
                                       const std::string& folder) {
  static const std::set<std::string, std::less<>> submitters{"sbatch", "salloc", "qsub", "bsub"};
  static const std::set<std::string, std::less<>> shells{"sh", "bash", "zsh", "dash", "ksh"};
  if (words.empty()) {
    return {};
  }
  const auto program = fs::path(words[0]).filename().string();
  if (submitters.contains(program)) {
    refuse_submission(words, folder);
  }
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, words.size()); ++i) {
    if (const auto script = job_script(fs::path(folder) / words[i]); !script.options.empty()) {
      notes.push_back(
          fmt::format("{}: its #SBATCH lines have no effect; what they ask for ({}) belongs in the "
                      "profile of the cluster (epochcast-jobs cluster detect)",
                      printable(words[i]), printable(script.options)));
    }
  }
  const auto word = std::ranges::find_if(words, is_for_a_shell);
  if (word != words.end() && !shells.contains(program)) {
    notes.push_back(fmt::format(
        "no shell reads the command, so '{}' stays as it is: write the value itself, or {{work}} "
        "for a folder of each run's own; or let a shell read it: bash -c '...'",
        printable(*word)));
  }
  return notes;
}

}  // namespace epochcast::jobs
