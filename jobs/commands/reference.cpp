#include "jobs/commands/reference.hpp"

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/experiment.hpp"
#include "src/cli/key_table.hpp"
#include "src/run/run_config.hpp"
#include "src/run/serving.hpp"
#include "src/run/streaming.hpp"

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

/// The options in the group `name`, as they are swept: "serve.batch".
template <class Options>
std::vector<cli::KeyRow> option_rows(const std::string& name) {
  auto rows = cli::key_rows<Options>();
  for (auto& row : rows) {
    row.name = name + "." + row.name;
  }
  return rows;
}

/// The key of the group itself.
cli::KeyRow group_row(const std::string& name, const std::string& meaning) {
  return {name, "map", "", "1", meaning + ": a map of the keys below"};
}

std::string task_options() {
  const std::vector<cli::KeyRow> groups{
      group_row("serve", "The service of task serve"), group_row("load", "The load on it"),
      group_row("stream", "Producer and consumer of task stream")};
  return "\n## Options of tasks serve and stream\n\n"
         "`serve: {batch: 8}` and `serve.batch: 8` mean the same.\n\n" +
         cli::key_table(groups) + "\n" + cli::key_table(option_rows<run::ServeOptions>("serve")) +
         "\n" + cli::key_table(option_rows<run::LoadOptions>("load")) + "\n" +
         cli::key_table(option_rows<run::ProduceOptions>("stream")) + "\n" +
         cli::key_table(option_rows<run::ConsumeOptions>("stream"));
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
         "3}`. With `command:`, the placeholders of the command are the parameters instead.\n\n" +
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
