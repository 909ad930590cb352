#include "src/training/loop/workload.hpp"

#include <algorithm>

namespace epochcast::train {

double metric(const Metrics& metrics, std::string_view name) {
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [&](const auto& m) { return m.first == name; });
  return found == metrics.end() ? 0 : found->second;
}

}  // namespace epochcast::train
