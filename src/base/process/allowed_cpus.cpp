#include "src/base/process/allowed_cpus.hpp"

#include <sched.h>

namespace epochcast::process {

std::vector<int> allowed_cpus() {
  // The mask of a large machine is wider than cpu_set_t; the kernel returns EINVAL until it fits.
  for (int width = CPU_SETSIZE; width <= 1 << 20; width *= 2) {
    std::vector<cpu_set_t> mask(static_cast<std::size_t>(width / CPU_SETSIZE));
    const auto bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) {
      std::vector<int> cpus;
      for (int cpu = 0; cpu < width; ++cpu) {
        if (CPU_ISSET_S(cpu, bytes, mask.data())) {
          cpus.push_back(cpu);
        }
      }
      return cpus;
    }
  }
  return {};
}

}  // namespace epochcast::process
