// CPUs to bind a process to.
#pragma once

#include <sched.h>

#include <cstddef>
#include <vector>

namespace epochcast::process {

/// A CPU set of any size.
class CpuSet {
 public:
  explicit CpuSet(const std::vector<int>& cpus)
      : size_(CPU_ALLOC_SIZE(most)), set_(CPU_ALLOC(most)) {
    CPU_ZERO_S(size_, set_);
    for (const int cpu : cpus) {
      CPU_SET_S(cpu, size_, set_);
    }
  }
  ~CpuSet() { CPU_FREE(set_); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;

  /// Binds the calling thread; safe between fork and exec.
  bool bind() const { return sched_setaffinity(0, size_, set_) == 0; }

 private:
  static constexpr int most = 8192;
  std::size_t size_;
  cpu_set_t* set_;
};

}  // namespace epochcast::process
