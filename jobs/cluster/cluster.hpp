// A cluster's profile: where experiments run. It holds only facts about the site, read from YAML.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "jobs/cluster/notify.hpp"
#include "jobs/cluster/retry.hpp"
#include "src/base/cli/key_table.hpp"
#include "src/base/config/yaml.hpp"
#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"
#include "src/measure/attempt/limit_options.hpp"
#include "src/record/run/allocation.hpp"
#include "src/record/run/prices.hpp"

namespace epochcast::jobs {

/// The container that the program of an allocation runs in.
struct Container {
  std::string runtime;
  std::string image;
  std::string gpu = "auto";
  std::vector<std::string> binds;    ///< "SOURCE:TARGET[:ro]", or "PATH" for the same path inside.
  std::vector<std::string> options;  ///< Further options of the runtime.

  bool is_used() const { return !runtime.empty(); }
  bool operator==(const Container&) const = default;
};

constexpr auto fields_of(Tag<Container>) {
  return FieldTable{
      Field{"runtime", "1",
            "Program that starts the container; pyxis: srun does, with --container-image",
            &Container::runtime, "apptainer|singularity|charliecloud|podman|pyxis"},
      Field{"image", "1",
            "File (apptainer), folder (charliecloud), name (podman), file or URI (pyxis); a "
            "relative path is relative to the profile's folder",
            &Container::image},
      Field{"gpu", "1", "Whether the container sees the GPUs; auto: if the allocation has GPUs",
            &Container::gpu, "auto|true|false"},
  };
}

/// Reads `container: {runtime: ..., image: ..., binds: [...], ...}` into `container`; keys
/// that are not given keep their value. `container: none` removes it. Throws Error with file and
/// line.
void read_container(const run::yaml::Node& node, Container& container);

/// Throws Error "container.image is missing ..." unless the container is complete, or not used.
/// `local`: there is no Slurm, so no pyxis.
void check_container(const Container& container, bool local);

/// Makes a relative path of an image file absolute; `folder` is the folder of the profile.
void resolve_image(Container& container, const std::string& folder);

/// The keys, as "container.image".
std::vector<cli::KeyRow> container_keys();

/// (KEY, value) for all allocations, (ALLOCATION.KEY, value) for one.
using SiteSettings = std::vector<std::pair<std::string, std::string>>;

/// Adds the group `overrides` to a profile: the values that ~/.config/epochcast/sites.yaml has for
/// the profile's name, then `settings`. Returns the same as lines to append to the profile's text;
/// "" if there are none. Throws Error if the profile has `overrides` already.
std::string add_overrides(run::yaml::Node& profile, const SiteSettings& settings);

/// How a job starts at this site: the keys with a single value.
struct Launch : attempt::NearLimit {
  std::string trainer;
  std::string torch;
  std::string memory_flag = "mem";
  std::string plan_memory = "forecast";
  std::string gpu_flag = "gres";
  bool gpu_typed = true;
  bool hook = false;
  Seconds signal_lead = {120};
  Seconds time_min = {};
  bool time_min_by_forecast = false;  ///< `time_min: forecast`.
  std::string exclude = "none";
  std::int64_t exclude_after = 2;
  Seconds kill_wait = {30};
  std::string hdf5_locking;
};

constexpr auto fields_of(Tag<Launch>) {
  return FieldTable{
      Field{"trainer", "1",
            "Trainer program (empty: epochcast-train beside epochcast-jobs; in a container: in its "
            "PATH)",
            &Launch::trainer},
      Field{
          "torch", "1",
          "Folder of LibTorch for the trainer of the archive (EPOCHCAST_TORCH); empty: it searches",
          &Launch::torch},
      Field{"memory_flag", "1",
            "sbatch option for memory at this site; none: the site refuses them, and no memory is "
            "asked for",
            &Launch::memory_flag, "mem|mem-per-cpu|none"},
      Field{"plan_memory", "1",
            "Memory of the full runs of `plan`: forecast lowers it to what their pilot shows that "
            "they need; profile keeps that of the allocation",
            &Launch::plan_memory, "forecast|profile"},
      Field{"gpu_flag", "1",
            "sbatch option for GPUs at this site: gres (--gres=gpu:TYPE:N), gpus "
            "(--gpus-per-node=TYPE:N), gpus-total (--gpus=TYPE:N, of the whole job), or constraint "
            "(--gres=gpu:N with --constraint=TYPE)",
            &Launch::gpu_flag, "gres|gpus|gpus-total|constraint"},
      Field{
          "gpu_typed", "1",
          "Whether that option names the type of the GPU; false: the partition decides, and 'gpu' "
          "only says which it is",
          &Launch::gpu_typed},
      Field{"hook", "1",
            "on: Python programs, which are not changed, are asked for their epochs "
            "(`epochcast-run --hook`)",
            &Launch::hook},
      Field{"signal_lead", "s",
            "Time before the limit at which the trainer receives the signal to save and stop",
            &Launch::signal_lead, ">=0"},
      attempt::near_limit_field,
      attempt::over_limit_field,
      Field{"time_min", "s",
            "Shorter limit that suffices to start earlier (--time-min); forecast: the lower end of "
            "that of 'plan' (95 %)",
            &Launch::time_min, ">=0"},
      Field{"exclude", "1",
            "auto: jobs leave out nodes on which attempts failed or the same work takes longer",
            &Launch::exclude, "none|auto"},
      Field{"exclude_after", "1", "Failed attempts in a row after which 'exclude: auto' does so",
            &Launch::exclude_after, ">=1"},
      Field{"kill_wait", "s",
            "Without Slurm: time after the limit at which a program that did not stop is killed",
            &Launch::kill_wait, ">=0"},
      Field{"hdf5_locking", "1", "Value of HDF5_USE_FILE_LOCKING, for file systems without locks",
            &Launch::hdf5_locking, "|TRUE|FALSE|BEST_EFFORT"},
  };
}

/// Several points of an allocation in one job.
struct Pack {
  std::int64_t points = 1;
  std::int64_t parallel = 1;
  std::string per = "gpu";

  bool is_used() const { return points > 1; }
  bool shares_gpu() const { return per == "shared_gpu"; }
};

inline constexpr const char* pack_key = "pack";

constexpr auto fields_of(Tag<Pack>) {
  return FieldTable{
      Field{"points", "1", "Most points in one job; 1: each has a job of its own", &Pack::points,
            "1..10000"},
      Field{"parallel", "1",
            "Points that run at a time; the job asks for so many times the CPUs, memory and GPUs",
            &Pack::parallel, "1..10000"},
      Field{"per", "1",
            "gpu: each point that runs has GPUs of its own; node: the allocation has no GPU; "
            "shared_gpu: they share the GPUs of one point, and their times are marked as shared",
            &Pack::per, "gpu|node|shared_gpu"},
  };
}

/// One allocation of a cluster with all that a script for it needs; the cluster's defaults are
/// filled in.
struct AllocationProfile {
  std::string name;
  run::Allocation asks;
  bool whole_memory = false;  ///< All memory of each node (--mem=0); asks.memory is then 0.
  Launch launch;
  std::vector<std::string> modules;  ///< Names for `module load`.
  std::vector<std::string> setup;    ///< Shell lines, copied into the script.
  /// Command before the trainer, such as "apptainer exec --nv image.sif".
  std::vector<std::string> launch_prefix;
  Container container = {};
  run::Prices prices = {};
  Retry retry = {};
  Pack pack = {};
  Notify notify = {};
  /// Further options of sbatch: "--reservation=course".
  std::vector<std::string> sbatch;
};

struct Cluster {
  std::string name;  ///< File name without its extension.
  std::string file;
  std::string text;       ///< Of the file, with the user's overrides (read_cluster).
  std::string scheduler;  ///< "slurm" or "local".
  std::vector<AllocationProfile> allocations;

  bool is_local() const { return scheduler == "local"; }
};

/// Reads a profile. Throws Error with file and line for an unknown key, a wrong unit, a missing
/// value that Slurm needs (memory, time), or a time limit that is shorter than the lead of the
/// signal. The user's own values (add_overrides) replace those of the file.
Cluster read_cluster(const std::string& path, const SiteSettings& settings = {});

/// The same from a document in memory.
Cluster cluster_from(const run::yaml::Node& document);

/// What an experiment says in place of the profile, for all allocations; a null where it does not.
struct JobRules {
  run::yaml::Node retry = {};
  run::yaml::Node pack = {};
  run::yaml::Node notify = {};
};

/// Reads `pack: {points: 8, parallel: 2}` into `pack`; keys that are not given keep their value.
/// `pack: none` removes it. Throws Error with file and line.
void read_pack(const run::yaml::Node& node, Pack& pack);

/// Puts the rules into every allocation; without a scheduler nothing is packed. Throws Error for an
/// allocation that no job can run several points of.
void apply(const JobRules& rules, Cluster& cluster);

/// The allocation `name`, or nullptr.
const AllocationProfile* find_profile(const Cluster& cluster, const std::string& name);

/// The allocation `name`. Throws Error "FILE: has no allocation 'NAME'" with the nearest names: a
/// profile may have been edited after `generate`.
const AllocationProfile& profile_of(const Cluster& cluster, const std::string& name);

/// The allocation with the lead of a program that is told to stop longer before its limit than the
/// site's signal comes. Limits leave time for the longer of the two.
AllocationProfile with_lead(AllocationProfile site, Seconds program_lead);

/// The commands of `notify:` of all allocations.
std::set<std::string> notify_commands(const Cluster& cluster);

/// What a job asks for that runs `pack.parallel` points of `site` at a time.
AllocationProfile packed(AllocationProfile site);

/// The file of a profile. A path is returned unchanged; a name is searched in the folders of
/// $EPOCHCAST_CLUSTERS, in ~/.config/epochcast/clusters and in the shipped profiles. Throws Error
/// with the known profiles.
std::string find_cluster_file(const std::string& name_or_path);

/// (name, file) of every profile that find_cluster_file would find by name, in that order.
std::vector<std::pair<std::string, std::string>> known_clusters();

/// Every key of an allocation, and so of `defaults`.
std::vector<cli::KeyRow> allocation_keys();

}  // namespace epochcast::jobs
