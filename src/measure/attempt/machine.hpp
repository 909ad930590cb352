// The machine of a run, as reported by /proc and /sys.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/record/record.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::attempt {

/// A list of CPUs in the notation of the kernel: "0-3,8".
std::string cpu_list(const std::vector<int>& cpus);

/// The number of threads for the computation: `wanted` if it is not 0. Otherwise the CPUs per task
/// from Slurm, but at most the CPUs in the affinity mask; without Slurm, all CPUs in the mask.
/// Never the CPU count of the machine.
std::int64_t threads_to_use(std::int64_t wanted, std::int64_t slurm_cpus_per_task,
                            std::int64_t allowed);

/// The same for this process, by its affinity mask and the variables of its job.
std::int64_t threads_to_use(std::int64_t wanted, const slurm::Environment& environment);

/// Host, CPU, memory, load, system, and the affinity of this process. `root` replaces "/", so that
/// tests can supply their own machine. Values that cannot be read stay empty or 0. The caller sets
/// GPU, libraries and threads.
record::Machine read_machine(const std::filesystem::path& root = "/");

/// The peak memory of this process so far in bytes (VmHWM of proc(5)); 0 if the kernel does not
/// report it.
std::int64_t peak_memory_bytes(const std::filesystem::path& root = "/");

/// SHA-256 of the file of this program; "" if it cannot be computed.
std::string own_binary_sha256();

/// The part of the environment that affects times, in addition to the parameters: loaded modules,
/// thread and allocator settings, containers. One line NAME=VALUE per variable.
std::string environment_text(const slurm::Environment& environment);

}  // namespace epochcast::attempt
