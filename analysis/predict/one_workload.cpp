#include "analysis/predict/one_workload.hpp"

#include <fmt/format.h>

#include <set>

#include "analysis/records/record_metrics.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::analysis {

bool ran_on(const record::Record& record, bool gpus) {
  return used_gpu(record) == gpus && (gpus ? gpus_of(record) : cpus_of(record)) > 0;
}

void require_one_workload(const std::vector<LoadedRecord>& records, bool gpus,
                          const record::ParameterNames& free) {
  std::vector<run::ParameterValues> works;
  run::ParameterValues names;
  for (const auto& [path, record] : records) {
    if (ran_on(record, gpus)) {
      names.merge(run::ParameterValues(works.emplace_back(epoch_parameters(record))));
    }
  }
  for (const auto& [name, unused] : names) {
    std::set<std::string> values;
    for (auto& work : works) {
      values.insert(work[name]);
    }
    if (values.size() > 1 && !free.contains(name)) {
      throw Error(
          fmt::format("the records differ in {0}: '{1}' and '{2}'; choose with --filter "
                      "{0}=...",
                      name, *values.begin(), *values.rbegin()));
    }
  }
}

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
