#include "src/measure/attempt/machine.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "src/base/core/digest.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/host.hpp"
#include "src/base/core/install.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/allowed_cpus.hpp"

namespace epochcast::attempt {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The value of the first line "KEY<separator>VALUE", without quotes.
std::string value_in(const std::string& text, std::string_view key, char separator) {
  for (const auto& line : split(text, '\n')) {
    const auto at = line.find(separator);
    if (at != std::string::npos && trim(std::string_view(line).substr(0, at)) == key) {
      const auto value = trim(std::string_view(line).substr(at + 1));
      return std::string(
          value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : value);
    }
  }
  return "";
}

std::int64_t read_integer(const fs::path& path, std::int64_t otherwise) {
  return parse_integer(trim(read_text(path))).value_or(otherwise);
}

bool is_cpu_folder(const std::string& name) {
  return name.size() > 3 && name.starts_with("cpu") && parse_integer(name.substr(3)).has_value();
}

/// Counts the sockets, cores and threads that are online, from the folder of each CPU.
void read_topology(const fs::path& root, record::Machine& machine) {
  std::set<std::int64_t> sockets;
  std::set<std::pair<std::int64_t, std::int64_t>> cores;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu", unreadable)) {
    const auto topology = entry.path() / "topology";
    if (!is_cpu_folder(entry.path().filename()) || !fs::exists(topology)) {
      continue;
    }
    const auto socket = read_integer(topology / "physical_package_id", 0);
    sockets.insert(socket);
    cores.emplace(socket, read_integer(topology / "core_id", machine.hardware_threads));
    ++machine.hardware_threads;
  }
  machine.sockets = std::ssize(sockets);
  machine.cores = std::ssize(cores);
  machine.threads_per_core = cores.empty() ? 0 : machine.hardware_threads / machine.cores;
}

std::string kernel_and_distribution(const fs::path& root) {
  utsname kernel{};
  uname(&kernel);
  const auto distribution = value_in(read_text(root / "etc/os-release"), "PRETTY_NAME", '=');
  return fmt::format("{} {}, {}", kernel.sysname, kernel.release, distribution);
}

}  // namespace

std::string cpu_list(const std::vector<int>& cpus) {
  std::vector<std::string> ranges;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) {
      ++last;
    }
    ranges.push_back(first == last ? std::to_string(cpus[first])
                                   : fmt::format("{}-{}", cpus[first], cpus[last]));
    first = last + 1;
  }
  return join(ranges, ",");
}

std::int64_t threads_to_use(std::int64_t wanted, std::int64_t slurm_cpus_per_task,
                            std::int64_t allowed) {
  constexpr std::int64_t most = 4096;  // more than any machine has CPUs
  if (wanted > most) {
    throw Error(fmt::format("--threads: found {}, expected at most {}", wanted, most));
  }
  if (wanted > 0) {
    return wanted;
  }
  const auto mask = std::max<std::int64_t>(allowed, 1);
  return slurm_cpus_per_task > 0 ? std::min(slurm_cpus_per_task, mask) : mask;
}

std::int64_t threads_to_use(std::int64_t wanted, const slurm::Environment& environment) {
  return threads_to_use(wanted, slurm::read_job_environment(environment).cpus_per_task,
                        std::ssize(process::allowed_cpus()));
}

record::Machine read_machine(const fs::path& root) {
  record::Machine machine;
  machine.host = host_name();
  machine.boot_id = std::string(trim(read_text(root / "proc/sys/kernel/random/boot_id")));
  machine.cpu_model = value_in(read_text(root / "proc/cpuinfo"), "model name", ':');
  read_topology(root, machine);
  const auto cpus = process::allowed_cpus();
  machine.cpus_allowed = cpu_list(cpus);
  machine.cpus_allowed_count = std::ssize(cpus);
  const int first_cpu = cpus.empty() ? 0 : cpus.front();
  machine.governor = std::string(trim(read_text(
      root / fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", first_cpu))));
  const auto memory = value_in(read_text(root / "proc/meminfo"), "MemTotal", ':');
  machine.memory_bytes = parse_integer(memory.substr(0, memory.find(' '))).value_or(0) * 1024;
  const auto load = read_text(root / "proc/loadavg");
  machine.load_1min = parse_double(load.substr(0, load.find(' '))).value_or(0);
  machine.system = kernel_and_distribution(root);
  return machine;
}

std::int64_t peak_memory_bytes(const std::filesystem::path& root) {
  constexpr std::int64_t kib = 1024;
  const auto value = value_in(read_text(root / "proc/self/status"), "VmHWM", ':');
  return kib * parse_integer(value.substr(0, value.find(' '))).value_or(0);
}

std::string own_binary_sha256() {
  try {
    return sha256_of_file(program_file());
  } catch (const Error&) {
    return "";
  }
}

std::string environment_text(const slurm::Environment& environment) {
  static const std::vector<std::string> prefixes{"LOADEDMODULES",
                                                 "MODULEPATH=",
                                                 "_LMFILES_",
                                                 "OMP_",
                                                 "MKL_",
                                                 "OPENBLAS_",
                                                 "GOMP_",
                                                 "KMP_",
                                                 "MALLOC_",
                                                 "LD_PRELOAD",
                                                 "LD_LIBRARY_",
                                                 "CUDA_",
                                                 "NVIDIA_",
                                                 "NCCL_",
                                                 "CUBLAS_",
                                                 "CUDNN_",
                                                 "PYTORCH_",
                                                 "TORCH_",
                                                 "SLURM_CPU_BIND",
                                                 "HDF5_USE",
                                                 "APPTAINER_CONTAINER",
                                                 "SINGULARITY_CONTAINER",
                                                 "CONDA_PREFIX",
                                                 "SPACK_ENV",
                                                 "GLIBC_TUNABLES"};
  std::string text;
  for (const auto& [name, value] : environment) {
    const auto line = name + "=" + value;
    if (starts_with_any(line, prefixes)) {
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace epochcast::attempt
