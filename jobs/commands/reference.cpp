#include "jobs/commands/reference.hpp"

#include "jobs/cluster/cluster.hpp"
#include "src/cli/key_table.hpp"
#include "src/run/run_config.hpp"

namespace epochcast::jobs {
namespace {

// The keys with a structure of their own, which no field table has. A test compares them with the
// keys that the readers know.
const std::vector<cli::KeyRow>& experiment_keys() {
  static const std::vector<cli::KeyRow> keys{
      {"name", "text", "", "1", "Name of the experiment (required)"},
      {"sweep", "map of lists", "", "1",
       "Swept parameters: every combination of their values is a point; 2..5 is a range"},
      {"zip", "map of lists", "", "1",
       "Parameters that change together: all first values, all second values, ..."},
      {"exclude", "list of maps", "", "1",
       "Combinations to leave out; a list in an entry matches any of its values; the key "
       "allocation "
       "matches allocations"},
      {"repeats", "integer", "1", "1", "Number of repeats of every point", ">=1"},
      {"allocations", "list", "", "1", "Allocations of the cluster profile (empty: all)"},
      {"override", "map of maps", "", "1", "Parameters for one allocation, by its name"},
      {"command", "list", "", "1",
       "A program to run instead of the trainer: program and arguments, with placeholders such as "
       "{epochs}"}};
  return keys;
}

const std::vector<cli::KeyRow>& cluster_keys() {
  static const std::vector<cli::KeyRow> keys{
      {"scheduler", "text", "", "1", "Who runs the jobs (required)", "slurm|local"},
      {"defaults", "map", "", "1", "Values of all allocations"},
      {"allocations", "map of maps", "", "1", "Allocations by name (required)"}};
  return keys;
}

const std::vector<cli::KeyRow>& allocation_lists() {
  static const std::vector<cli::KeyRow> keys{
      {"modules", "list", "", "1", "Names for `module load`"},
      {"setup", "list", "", "1", "Shell lines, copied into the script after the modules"},
      {"launch_prefix", "list", "", "1",
       "Words before the trainer, such as [apptainer, exec, --nv, image.sif]"},
      {"sbatch", "list", "", "1", "Further options of sbatch, such as --reservation=course"},
      {"cpus_per_task", "integer", "", "1", "Another name of cpus"},
      {"gpus_per_task", "integer", "", "1", "Another name of gpus"},
      {"tasks", "integer", "", "1", "Tasks of the whole job, instead of tasks_per_node"}};
  return keys;
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
         cli::key_table(cli::key_rows<run::RunConfig>());
}

std::string cluster_page() {
  auto keys = cli::key_rows<run::Allocation>();
  const auto launch = cli::key_rows<Launch>();
  keys.insert(keys.end(), launch.begin(), launch.end());
  keys.insert(keys.end(), allocation_lists().begin(), allocation_lists().end());
  return "# Cluster profile\n\n"
         "A YAML file. `epochcast-jobs cluster show NAME` prints a profile with all defaults.\n\n"
         "## Structure\n\n" +
         cli::key_table(cluster_keys()) +
         "\n## Keys of an allocation\n\n"
         "`defaults:` and every entry of `allocations:` have these keys.\n\n" +
         cli::key_table(keys);
}

}  // namespace epochcast::jobs
