// A cluster's profile: WHERE experiments run. Facts of the site only, read from YAML.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "src/cli/key_table.hpp"
#include "src/core/fields.hpp"
#include "src/core/quantity.hpp"
#include "src/run/allocation.hpp"
#include "src/run/yaml.hpp"

namespace epochcast::jobs {

/// How a job starts at this site: the keys with a single value.
struct Launch {
  std::string trainer;
  std::string memory_flag = "mem";
  std::string gpu_flag = "gres";
  Seconds signal_lead = {120};
  Seconds kill_wait = {30};
  std::string hdf5_locking;
};

constexpr auto fields_of(Tag<Launch>) {
  return std::tuple{
      Field{"trainer", "1", "Trainer program (empty: epochcast-train beside epochcast-jobs)",
            &Launch::trainer},
      Field{"memory_flag", "1", "sbatch option for memory at this site", &Launch::memory_flag,
            "mem|mem-per-cpu"},
      Field{"gpu_flag", "1",
            "sbatch option for GPUs at this site: gres (--gres=gpu:TYPE:N), gpus "
            "(--gpus-per-node=TYPE:N), or constraint (--gres=gpu:N with --constraint=TYPE)",
            &Launch::gpu_flag, "gres|gpus|constraint"},
      Field{"signal_lead", "s",
            "Time before the limit at which the trainer receives the signal to save and stop",
            &Launch::signal_lead, ">=0"},
      Field{"kill_wait", "s",
            "Without Slurm: time after the limit at which a program that did not stop is killed",
            &Launch::kill_wait, ">=0"},
      Field{"hdf5_locking", "1", "Value of HDF5_USE_FILE_LOCKING, for file systems without locks",
            &Launch::hdf5_locking, "|TRUE|FALSE|BEST_EFFORT"},
  };
}

/// One allocation of a cluster with all that a script for it needs; the cluster's defaults are
/// filled in.
struct AllocationProfile {
  std::string name;
  run::Allocation asks;
  Launch launch;
  std::vector<std::string> modules;  ///< Names for `module load`.
  std::vector<std::string> setup;    ///< Shell lines, as they are.
  /// Words before the trainer: apptainer exec --nv image.sif.
  std::vector<std::string> launch_prefix;
  /// Raw options for what we do not know: "--reservation=course".
  std::vector<std::string> sbatch;
};

struct Cluster {
  std::string name;  ///< File name without its ending.
  std::string file;
  std::string scheduler;  ///< "slurm" or "local".
  std::vector<AllocationProfile> allocations;

  bool is_local() const { return scheduler == "local"; }
};

/// Reads a profile. Throws Error with file and line: unknown key, wrong unit, what Slurm needs and
/// is missing (memory, time), a time limit that leaves no room for the signal before it.
Cluster read_cluster(const std::string& path);

/// The same from a document in memory.
Cluster cluster_from(const run::yaml::Node& document);

/// The allocation called `name`, or nullptr.
const AllocationProfile* find_site(const Cluster& cluster, const std::string& name);

/// The file of a profile: a path as it is; a name is looked up in the folders of
/// $EPOCHCAST_CLUSTERS,
/// ~/.config/epochcast/clusters and the shipped ones. Throws Error naming the known profiles.
std::string find_cluster_file(const std::string& name_or_path);

/// (name, file) of every profile that find_cluster_file would find by name, in that order.
std::vector<std::pair<std::string, std::string>> known_clusters();

/// Every key of an allocation, and so of `defaults`.
std::vector<cli::KeyRow> allocation_keys();

}  // namespace epochcast::jobs
