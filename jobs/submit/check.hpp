// Checks of an output folder before its jobs are submitted, beyond those of `sbatch --test-only`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/campaign/needs.hpp"
#include "jobs/cluster/cluster.hpp"
#include "src/slurm/site.hpp"

namespace epochcast::jobs {

/// Something that would fail, and its fix.
struct Problem {
  std::string where;  ///< An allocation, a point, a folder.
  std::string text;
  std::string fix;
  bool operator==(const Problem&) const = default;
};

/// Compares an allocation with the cluster: partition, account, time, nodes, CPUs, memory, GPU type
/// and number, features. Of several partitions one that fits is enough.
std::vector<Problem> check_site(const AllocationProfile& site,
                                const std::vector<slurm::Partition>& partitions,
                                const slurm::User& user = {});

/// Of several partitions of which one fits, a line for each that cannot take the job.
std::vector<std::string> partition_remarks(const AllocationProfile& site,
                                           const std::vector<slurm::Partition>& partitions,
                                           const slurm::User& user = {});

struct CheckReport {
  std::vector<Problem> problems;
  std::vector<std::string> remarks;  ///< Includes what could not be checked.
  bool all_checked = true;           ///< False: the controller did not answer.
};

/// Checks every allocation, program, data set and folder of an output folder, then runs `sbatch
/// --test-only` once per allocation.
[[nodiscard]] CheckReport check(const std::string& out);

/// What this machine lacks for the point of `need`.
std::optional<Problem> problem_of(const Need& need);

/// What keeps `program` from the GPU of `site`, by `version`, its output of --version: it has no
/// CUDA, or its LibTorch has no code for the card. Nothing where the card is not in the device
/// database, or may be one that it has code for.
std::optional<Problem> gpu_problem(const AllocationProfile& site, const std::string& program,
                                   const std::string& version);

/// That the card of `site` has no bf16 arithmetic, as none before sm_80 has: LibTorch emulates it
/// there, many times slower than fp32. Nothing where the card may be one that has it.
std::optional<Problem> bf16_problem(const AllocationProfile& site);

}  // namespace epochcast::jobs
