#include "jobs/campaign/generate.hpp"

#include <fmt/format.h>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/commands/commands.hpp"
#include "src/cli/report.hpp"
#include "src/core/error.hpp"

namespace epochcast::jobs {
namespace {

int run(const cli::Arguments& arguments) {
  const auto request = generate_request(arguments);
  const auto report = generate(request);
  if (!report.options_checked) {
    cli::report(
        "options of models and data sets are unchecked: no trainer was built beside this program");
  }
  for (const auto& point : report.changed) {
    cli::report(fmt::format("{}: its script is another now", point));
  }
  if (report.kept > 0) {
    cli::report(fmt::format("{} points of an earlier generate stay, but are no longer submitted",
                            report.kept));
  }
  cli::report(fmt::format("{} points of '{}' on '{}', {} scripts new", report.points,
                          report.experiment, report.cluster,
                          report.points - report.changed.size() - report.same));
  fmt::print("{}\n", OutFolder(request.out).index().string());
  return exit_done;
}

}  // namespace

GenerateRequest generate_request(const cli::Arguments& arguments) {
  GenerateRequest request{only_word(arguments, "EXPERIMENT"), arguments.get("cluster"),
                          arguments.get("output"), arguments.all("set"), arguments.all("filter")};
  if (request.cluster.empty() || request.out.empty()) {
    throw Error(fmt::format("--{} is missing (see --help)",
                            request.cluster.empty() ? "cluster" : "output"));
  }
  return request;
}

cli::Subcommand generate_command() {
  return {
      "generate",
      {.usage = "epochcast-jobs generate EXPERIMENT --cluster C -o OUT [--set KEY=VALUE] [--filter "
                "COLUMN=VALUE]",
       .summary = "Writes a script a point, the index and the log folder; submits nothing",
       .example =
           "epochcast-jobs generate experiments/lab.yaml --cluster rosie -o out --set epochs=1,20",
       .options = {{"cluster", "NAME|FILE", "Profile of the cluster (see 'cluster list')"},
                   {"output,o", "OUT", "Output folder; one that is there keeps what it has"},
                   {"set", "KEY=VALUE",
                    "Replaces a value of the experiment; commas separate values of a swept key", "",
                    true},
                   filter_option()},
       .positional = "EXPERIMENT"},
      run};
}

}  // namespace epochcast::jobs
