// The CPUs of this process.
#pragma once

#include <vector>

namespace epochcast::process {

/// CPUs that this process may use: its affinity mask, not the machine's count.
std::vector<int> allowed_cpus();

}  // namespace epochcast::process
