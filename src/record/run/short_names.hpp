// Short names of runs that distinguish them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/record/run/parameter.hpp"

namespace epochcast::run {

struct NamedWork {
  std::string kind;  ///< Shown anyway, e.g. task and source: only equal kinds need names.
  ParameterValues parameters;
};

/// For each workload, as "depth=3 dataset.limit=20", the parameters that differ among the workloads
/// of its kind and model. Omits the parameters in `shown`, which other columns show, and the
/// command where the others tell its variants apart: it repeats them.
std::vector<std::string> differences(const std::vector<NamedWork>& works,
                                     const std::set<std::string, std::less<>>& shown);

/// The model of each workload, followed by its differences.
std::vector<std::string> short_names(const std::vector<NamedWork>& works,
                                     const std::set<std::string, std::less<>>& shown);

}  // namespace epochcast::run
