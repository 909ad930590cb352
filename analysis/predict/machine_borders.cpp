#include "analysis/predict/machine_borders.hpp"

namespace epochcast::analysis {

std::vector<forecast::Border> borders_of(const record::Record& record) {
  std::vector<forecast::Border> borders;
  if (record.machines.empty()) {
    return borders;
  }
  const auto& machine = record.machines.front();
  if (machine.sockets > 1) {
    borders.push_back({static_cast<double>(machine.cores) / static_cast<double>(machine.sockets),
                       "cores of another socket"});
  }
  if (machine.cores > 0) {
    borders.push_back({static_cast<double>(machine.cores),
                       machine.threads_per_core > 1 ? "second hardware threads of the same cores"
                                                    : "cores that the machine does not have"});
  }
  return borders;
}

}  // namespace epochcast::analysis
