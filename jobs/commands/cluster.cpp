#include "jobs/cluster/cluster.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "jobs/cluster/detect.hpp"
#include "jobs/commands/commands.hpp"
#include "src/core/error.hpp"
#include "src/core/files.hpp"
#include "src/core/text.hpp"
#include "src/process/command.hpp"
#include "src/run/field_values.hpp"

namespace epochcast::jobs {
namespace {

std::string default_account() {
  const char* user = std::getenv("USER");
  if (user == nullptr) {
    return "";
  }
  const auto answer = process::run_command(
      {"sacctmgr", "-n", "-P", "show", "user", user, "format=defaultaccount"}, 30);
  return answer.ok() ? std::string(trim(answer.out.substr(0, answer.out.find('\n')))) : "";
}

int detect() {
  const auto site = slurm::ask_site();
  if (!site.answered) {
    throw RunError(fmt::format("sinfo does not answer: {}", site.error));
  }
  fmt::print("{}", profile_text(site.partitions, default_account()));
  return exit_done;
}

int list() {
  for (const auto& [name, file] : known_clusters()) {
    fmt::print("{}\t{}\n", name, file);
  }
  return exit_done;
}

/// Every allocation with all its fields, the defaults filled in.
int show(const std::string& name) {
  const auto file = find_cluster_file(name);
  const auto cluster = read_cluster(file);
  fmt::print("# {}\nscheduler: {}\n", file, cluster.scheduler);
  for (const auto& site : cluster.allocations) {
    fmt::print("{}:\n", site.name);
    for (const auto& texts : {run::field_texts(site.asks), run::field_texts(site.launch)}) {
      for (const auto& [key, value] : texts) {
        fmt::print("  {}: {}\n", key, value);
      }
    }
    for (const auto& [key, lines] : {std::pair{"modules", site.modules},
                                     {"setup", site.setup},
                                     {"launch_prefix", site.launch_prefix},
                                     {"sbatch", site.sbatch}}) {
      fmt::print("  {}: [{}]\n", key, join(lines, ", "));
    }
  }
  return exit_done;
}

int run(const cli::Arguments& arguments) {
  const auto& words = arguments.positional();
  const auto verb = words.empty() ? "" : words.front();
  if (verb == "show" && words.size() == 2) {
    return show(words[1]);
  }
  if (verb == "list" && words.size() == 1) {
    return list();
  }
  if (verb == "detect" && words.size() == 1) {
    return detect();
  }
  throw Error(fmt::format(
      "found 'cluster {}', expected 'cluster detect', 'cluster list' or 'cluster show NAME'",
      join(words, " ")));
}

}  // namespace

cli::Subcommand cluster_command() {
  return {"cluster",
          {.usage = "epochcast-jobs cluster detect | list | show NAME",
           .summary = "Profiles of clusters: writes a first one from sinfo, lists them, shows one "
                      "with its defaults",
           .example = "epochcast-jobs cluster detect >~/.config/epochcast/clusters/site.yaml",
           .options = {},
           .positional = "detect|list|show"},
          run};
}

}  // namespace epochcast::jobs
