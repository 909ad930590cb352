#include "src/measure/attempt/machine_cpus.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "src/base/core/error.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/allowed_cpus.hpp"

namespace epochcast::attempt {
namespace {

/// A text that is the same for all hardware threads of one core.
std::string core_of(int cpu) {
  std::ifstream in(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
  std::string siblings;
  return std::getline(in, siblings) ? siblings : std::to_string(cpu);
}

std::vector<int> one_per_core(const std::vector<int>& cpus) {
  std::set<std::string> cores;
  std::vector<int> chosen;
  for (const int cpu : cpus) {
    if (cores.insert(core_of(cpu)).second) {
      chosen.push_back(cpu);
    }
  }
  return chosen;
}

std::vector<int> usable_cpus(const run::Allocation& allocation) {
  return allocation.smt == "off" ? one_per_core(process::allowed_cpus()) : process::allowed_cpus();
}

std::int64_t gpus_here() {
  std::int64_t count = 0;
  while (std::filesystem::exists(fmt::format("/dev/nvidia{}", count))) {
    ++count;
  }
  return count;
}

/// Memory that the kernel leaves to programs: a little less than is installed.
std::int64_t memory_here() {
  return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
}

}  // namespace

std::optional<std::vector<int>> cpus_for(const run::Allocation& allocation) {
  auto cpus = usable_cpus(allocation);
  const auto wanted = static_cast<std::size_t>(allocation.cpus * allocation.tasks_per_node);
  if (cpus.size() < wanted) {
    return std::nullopt;
  }
  cpus.resize(wanted);
  return cpus;
}

std::string why_not_here(const run::Allocation& allocation) {
  if (allocation.nodes > 1) {
    return fmt::format("needs {} nodes, this machine is one", allocation.nodes);
  }
  if (!cpus_for(allocation)) {
    return fmt::format("needs {} {}, this process may use {}",
                       allocation.cpus * allocation.tasks_per_node,
                       allocation.smt == "off" ? "cores" : "CPUs", usable_cpus(allocation).size());
  }
  if (const auto gpus = run::gpus_on_node(allocation); gpus > gpus_here()) {
    return fmt::format("needs {} GPU{}, this machine has {}", gpus, gpus == 1 ? "" : "s",
                       gpus_here());
  }
  if (const auto memory = memory_here(); allocation.memory.value > memory) {
    return fmt::format("needs {} of memory, this machine has {}", to_text(allocation.memory),
                       format_bytes(memory / mebibyte * mebibyte));
  }
  return "";
}

}  // namespace epochcast::attempt
