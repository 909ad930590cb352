#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "jobs/commands/commands.hpp"
#include "jobs/experiment/first_experiment.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;

/// "python3" of an active virtual or conda environment as an absolute path: a job may not have the
/// environment's PATH. Other programs keep their name, since modules may deliver them.
std::string in_active_environment(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    return program;
  }
  for (const auto* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const char* root = std::getenv(variable);
    const auto path = fs::path(root == nullptr ? "" : root) / "bin" / program;
    if (std::error_code ignored; root != nullptr && *root != '\0' && fs::exists(path, ignored)) {
      return path;
    }
  }
  return program;
}

std::string file_name(std::string name) {
  for (char& c : name) {
    c = c == '/' || c == ' ' ? '-' : c;
  }
  return name + ".yaml";
}

int run_init(const cli::Arguments& arguments) {
  auto words = arguments.positional();
  if (words.empty()) {
    throw Error(
        "no command given; expected epochcast-jobs init -- COMMAND..., such as "
        "epochcast-jobs init -- python3 train.py --epochs 10");
  }
  words[0] = in_active_environment(words[0]);
  const auto first = first_experiment(words, fs::current_path(), arguments.get("name"));
  const auto file = arguments.has("output") ? arguments.get("output") : file_name(first.name);
  if (is_there(file) && !arguments.has("force")) {
    throw Error(
        fmt::format("{}: exists; give --force to replace it, or another file with -o", file));
  }
  write_file(file, first.text);
  fmt::print("{}\n", file);
  cli::report(first.settings.empty() ? "no option with a number was found, so there is no setting"
                                     : "settings: " + join(first.settings, ", "));
  if (!first.has_length) {
    cli::report(
        "no option for the number of epochs was found; a forecast needs it from the "
        "program's own output, or 'epochs: N' in the file");
  }
  for (const auto& note : first.notes) {
    cli::report(note);
  }
  const auto quoted = shell_quote(file);
  const auto out = shell_quote("out/" + fs::path(file).stem().string());
  cli::report(
      fmt::format("next, on this machine: epochcast-jobs generate {} --cluster local -o {} "
                  "--filter allocation=cpu1 && epochcast-jobs check {} && epochcast-jobs "
                  "run {}",
                  quoted, out, out, out));
  cli::report(
      fmt::format("next, on a cluster: epochcast-jobs plan {} --cluster NAME -o {} --wait "
                  "(profiles: epochcast-jobs cluster list)",
                  quoted, out));
  return exit_done;
}

}  // namespace

cli::Subcommand init_command() {
  return {"init",
          {.usage = "epochcast-jobs init [-o FILE] [--name NAME] [--force] -- COMMAND...",
           .summary = "Writes a first experiment from the command line of a program of your own",
           .example = "epochcast-jobs init -- python3 train.py --epochs 10 --lr 0.1",
           .options = {{"output,o", "FILE", "The experiment file (default: NAME.yaml)"},
                       {"name", "NAME", "Name of the experiment (default: that of the script)"},
                       {"force", "", "Replace an existing file"}},
           .positional = "COMMAND..."},
          run_init};
}

}  // namespace epochcast::jobs
