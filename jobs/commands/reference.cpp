#include <fmt/ranges.h>

#include "jobs/cluster/cluster.hpp"
#include "jobs/commands/commands.hpp"
#include "jobs/experiment/experiment.hpp"
#include "jobs/experiment/vocabulary.hpp"
#include "src/base/cli/key_table.hpp"
#include "src/record/run/run_config.hpp"
#include "src/record/run/serving.hpp"
#include "src/record/run/streaming.hpp"

namespace epochcast::jobs {
namespace {

const std::vector<cli::KeyRow>& cluster_keys() {
  static const std::vector<cli::KeyRow> keys{
      {"scheduler", "text", "", "1", "Who runs the jobs (required)", "slurm|local"},
      {"defaults", "map", "", "1", "Values of all allocations"},
      {"allocations", "map of maps", "", "1", "Allocations by name (required)"},
      {"overrides", "map", "", "1",
       "Values that replace those above, for all allocations or in a map under an allocation's "
       "name; written by --site and sites.yaml"}};
  return keys;
}

/// "`batch`, `queue`: options of `epochcast-train serve`".
template <class Options>
std::string command_keys(const std::string& command) {
  std::vector<std::string> keys;
  for (const auto& row : cli::key_rows<Options>()) {
    keys.push_back("`" + row.name + "`");
  }
  return fmt::format("{}: options of `{}`", fmt::join(keys, ", "), command);
}

std::string task_options() {
  return "\n## Options of tasks serve and stream\n\n"
         "`serve: {batch: 8}` and `serve.batch: 8` mean the same. [commands.md](commands.md) has "
         "meanings and defaults.\n\n" +
         cli::key_table(
             {{"serve", "map", "", "1", command_keys<run::ServeOptions>("epochcast-train serve")},
              {"load", "map", "", "1", command_keys<run::LoadOptions>("epochcast-load")},
              {"stream", "map", "", "1",
               command_keys<run::ProduceOptions>("epochcast-stream produce") + "; " +
                   command_keys<run::ConsumeOptions>("epochcast-train stream")}});
}

}  // namespace

std::string experiment_page() {
  return "# Experiment file\n\n"
         "A YAML file. Durations and sizes have units: `90m`, `16G`. `epochcast-jobs generate` "
         "writes one script per point.\n\n"
         "## Structure\n\n" +
         cli::key_table(experiment_keys()) +
         "\n## Parameters of a run\n\n"
         "Each can be set at the top level, swept, excluded or overridden. The options of models, "
         "data sets and optimizers are in [options.md](options.md): `model: {name: mlp, depth: "
         "3}`. With `command:`, the placeholders of the command are the parameters instead, and "
         "these, "
         "which need none:\n\n" +
         cli::key_table(work_keys()) + "\nThe parameters of our trainer:\n\n" +
         cli::key_table(cli::key_rows<run::RunConfig>()) + task_options();
}

std::string cluster_page() {
  return "# Cluster profile\n\n"
         "A YAML file. `epochcast-jobs cluster show NAME` prints a profile with all defaults.\n\n"
         "## Structure\n\n" +
         cli::key_table(cluster_keys()) +
         "\n## Keys of an allocation\n\n"
         "`defaults:` and every entry of `allocations:` have these keys.\n\n" +
         cli::key_table(allocation_keys());
}

}  // namespace epochcast::jobs
