#include "jobs/campaign/generate.hpp"

#include <fmt/format.h>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/commands/commands.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

/// "cpu2: 8, t4: 8": an experiment is multiplied by all allocations of the profile.
std::string by_allocation(const GenerateReport& report) {
  std::vector<std::string> parts;
  for (const auto& [allocation, points] : report.points_of) {
    parts.push_back(fmt::format("{}: {}", allocation, points));
  }
  return join(parts, ", ");
}

int run_generate(const cli::Arguments& arguments) {
  const auto request = generate_request(arguments);
  const auto report = generate(request);
  for (const auto& point : report.changed) {
    cli::report(fmt::format("{}: its script has changed", point));
  }
  if (report.kept > 0) {
    cli::report(fmt::format("{} of an earlier generate stay in the folder, but are not submitted",
                            counted(report.kept, "point")));
  }
  cli::report(
      fmt::format("{} of '{}' on '{}' ({}), {}", counted(report.points, "point"), report.experiment,
                  report.cluster, by_allocation(report),
                  counted(report.points - report.changed.size() - report.same, "new script")));
  fmt::print("{}\n", OutFolder(request.out).index().string());
  return exit_done;
}

}  // namespace

GenerateRequest generate_request(const cli::Arguments& arguments) {
  GenerateRequest request{only_word(arguments, "EXPERIMENT"),
                          arguments.get("cluster"),
                          arguments.get("output"),
                          arguments.all("set"),
                          arguments.all("filter"),
                          site_settings(arguments)};
  if (request.cluster.empty() || request.out.empty()) {
    throw Error(fmt::format("--{} is missing (see --help)",
                            request.cluster.empty() ? "cluster" : "output"));
  }
  return request;
}

cli::Subcommand generate_command() {
  return {
      "generate",
      {.usage = "epochcast-jobs generate EXPERIMENT --cluster C -o OUT [--set KEY=VALUE] [--site "
                "KEY=VALUE] [--filter COLUMN=VALUE]",
       .summary = "Writes one script per point, and an index; submits nothing",
       .example =
           "epochcast-jobs generate experiments/lab.yaml --cluster rosie -o out --set epochs=1,20",
       .options = {{"cluster", "NAME|FILE", "Profile of the cluster (see 'cluster list')"},
                   {"output,o", "OUT", "Output folder; an existing one keeps its points"},
                   {"set", "KEY=VALUE",
                    "Replace a value of the experiment; commas separate values of a swept key", "",
                    true},
                   site_option(),
                   filter_option()},
       .positional = "EXPERIMENT"},
      run_generate};
}

}  // namespace epochcast::jobs
