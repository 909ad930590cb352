// The machine under a run, as /proc and /sys tell it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/process/machine_cpus.hpp"
#include "src/record/record.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::train {

using process::allowed_cpus;

/// "0-3,8": a list of CPUs in the notation of the kernel.
std::string cpu_list(const std::vector<int>& cpus);

/// Threads for the computation: `wanted` if it is not 0, else what Slurm gave a task, but never
/// more than the affinity mask holds; never the machine's count.
std::int64_t threads_to_use(std::int64_t wanted, std::int64_t slurm_cpus_per_task,
                            std::int64_t allowed);

/// Host, CPU, memory, load and system; `root` stands for "/" so that tests can bring a machine of
/// their own. What cannot be read stays empty or 0. GPU, libraries, affinity and threads are the
/// caller's.
record::Machine read_machine(const std::filesystem::path& root = "/");

/// The most memory that this process has held at once so far (VmHWM of proc(5)); 0 where the kernel
/// does not tell.
std::int64_t peak_memory_bytes(const std::filesystem::path& root = "/");

/// SHA-256 of this program's file, or "" where that cannot be had.
std::string own_binary_sha256();

/// What decides times besides the parameters: loaded modules, thread and allocator settings,
/// containers; a NAME=VALUE line each.
std::string environment_text(const slurm::Environment& environment);

}  // namespace epochcast::train
