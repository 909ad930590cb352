#include "jobs/cluster/cluster.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "jobs/cluster/detect.hpp"
#include "jobs/commands/commands.hpp"
#include "jobs/scheduler/scheduler.hpp"
#include "jobs/script/container_words.hpp"
#include "src/base/config/field_values.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"

namespace epochcast::jobs {
namespace {

/// The answer to a question on a terminal; "" anywhere else.
std::string answer_to(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) {
    return "";
  }
  fmt::print(stderr, "{}: ", question);
  std::string answer;
  std::getline(std::cin, answer);
  return std::string(trim(answer));
}

/// What Slurm does not tell: from this machine, then from the user.
SiteFacts facts_of(const UserAccounts& accounts) {
  SiteFacts facts{
      .account = accounts.by_default, .accounts = accounts.all, .user = slurm::this_user()};
  for (const auto& [runtime, program] : container_programs()) {
    if (process::is_executable(program)) {
      facts.runtimes.push_back(runtime);
    }
  }
  if (facts.account.empty()) {
    facts.account = answer_to("Account to charge (empty: none)");
  }
  if (!facts.runtimes.empty()) {
    facts.image = answer_to(fmt::format("Image that jobs run in, with {} (empty: no container)",
                                        facts.runtimes.front()));
  }
  facts.trainer = answer_to(facts.image.empty()
                                ? "epochcast-train on the nodes (empty: that beside epochcast-jobs)"
                                : "epochcast-train in the image (empty: in its PATH)");
  return facts;
}

int detect() {
  const auto site = scheduler().site();
  if (!site.answered) {
    throw RunError(fmt::format("sinfo does not answer: {}", site.error));
  }
  fmt::print("{}", profile_text(site.partitions, facts_of(scheduler().accounts())));
  return exit_done;
}

int list() {
  for (const auto& [name, file] : known_clusters()) {
    fmt::print("{}\t{}\n", name, file);
  }
  return exit_done;
}

/// Prints every allocation with all its fields and the defaults.
int show(const std::string& name, const SiteSettings& settings) {
  const auto file = find_cluster_file(name);
  const auto cluster = read_cluster(file, settings);
  fmt::print("# {}\nscheduler: {}\n", file, cluster.scheduler);
  for (const auto& site : cluster.allocations) {
    fmt::print("{}:\n", site.name);
    for (const auto& texts : {run::field_texts(site.asks), run::field_texts(site.launch)}) {
      for (const auto& [key, value] : texts) {
        const bool by_forecast = key == "time_min" && site.launch.time_min_by_forecast;
        fmt::print("  {}: {}\n", key,
                   key == "memory" && site.whole_memory ? "all"
                   : by_forecast                        ? "forecast"
                                                        : value);
      }
    }
    for (const auto& [key, value] : run::field_texts(site.container)) {
      fmt::print("  container.{}: {}\n", key, value);
    }
    for (const auto& [key, value] : run::field_texts(site.prices)) {
      fmt::print("  prices.{}: {}\n", key, value);
    }
    for (const auto& [key, value] : run::field_texts(site.pack)) {
      fmt::print("  pack.{}: {}\n", key, value);
    }
    for (const auto& [key, lines] : {std::pair{"container.binds", site.container.binds},
                                     {"container.options", site.container.options},
                                     {"modules", site.modules},
                                     {"setup", site.setup},
                                     {"launch_prefix", site.launch_prefix},
                                     {"sbatch", site.sbatch}}) {
      fmt::print("  {}: [{}]\n", key, join(lines, ", "));
    }
  }
  return exit_done;
}

int run_cluster(const cli::Arguments& arguments) {
  const auto& words = arguments.positional();
  const auto verb = words.empty() ? "" : words.front();
  if (verb == "show" && words.size() == 2) {
    return show(words[1], site_settings(arguments));
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
          {.usage = "epochcast-jobs cluster detect | list | show NAME [--site KEY=VALUE]",
           .summary = "Shows or lists cluster profiles, or writes a first one from sinfo",
           .example = "epochcast-jobs cluster detect >~/.config/epochcast/clusters/site.yaml",
           .options = {site_option()},
           .positional = "detect|list|show"},
          run_cluster};
}

}  // namespace epochcast::jobs
