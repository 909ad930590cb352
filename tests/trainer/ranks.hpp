// Real trainings on several ranks of this machine, started by `epochcast-jobs launch`.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/trainer/running.hpp"
#include "tests/trainer/trainer.hpp"

namespace epochcast {

class RanksTest : public TrainerTest {
 protected:
  /// The words of a training on `ranks` ranks.
  std::vector<std::string> ranks_words(int ranks, const std::string& point, int epochs,
                                       const std::vector<std::string>& more) const {
    std::vector<std::string> all{EPOCHCAST_BINARY_DIR "/epochcast-jobs", "launch",
                                 "--tasks=" + std::to_string(ranks), "--"};
    const auto trainer = words(point, epochs, more);
    all.insert(all.end(), trainer.begin(), trainer.end());
    all.emplace_back("--rendezvous-timeout=10m");
    return all;
  }

  /// The same, each rank in the folder "rankR" of the test's, which therefore can differ in what
  /// lies there.
  std::vector<std::string> ranks_apart_words(int ranks, const std::string& point,
                                             const std::vector<std::string>& more) const {
    auto all = ranks_words(ranks, point, 1, more);
    const auto program = std::ranges::find(all, "--") + 1;
    const std::vector<std::string> shell{
        "bash", "-c", "cd '" + folder.string() + "'/rank$RANK && exec \"$@\"", "bash"};
    all.insert(program, shell.begin(), shell.end());
    return all;
  }

  /// The same of a small perceptron.
  std::vector<std::string> small_words(int ranks, const std::string& point, int epochs,
                                       std::vector<std::string> more = {}) const {
    const std::vector<std::string> small{"--model=mlp", "--model.depth=3", "--dataset.samples=48",
                                         "--batch=4"};
    more.insert(more.begin(), small.begin(), small.end());
    return ranks_words(ranks, point, epochs, more);
  }

  static process::CommandResult run_as_job(const std::string& job,
                                           const std::vector<std::string>& words) {
    return process::run_command(words, 600, {{"EPOCHCAST_JOB_ID", job}, {"EPOCHCAST_ASKED", ""}});
  }

  process::CommandResult train_on(int ranks, const std::string& point, const std::string& job,
                                  int epochs, const std::vector<std::string>& more = {}) const {
    return run_as_job(job, small_words(ranks, point, epochs, more));
  }
};

/// The process of every rank that `launcher` has started.
inline std::map<int, pid_t> processes_of_ranks(pid_t launcher) {
  const auto pids = std::to_string(launcher);
  std::ifstream children("/proc/" + pids + "/task/" + pids + "/children");
  std::map<int, pid_t> processes;
  for (pid_t pid = 0; children >> pid;) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
    for (std::string entry; std::getline(file, entry, '\0');) {
      if (entry.starts_with("RANK=")) {
        processes[std::stoi(entry.substr(5))] = pid;
      }
    }
  }
  return processes;
}

}  // namespace epochcast
