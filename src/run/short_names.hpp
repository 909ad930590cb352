// Names of runs, as short as distinguishes them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/run/parameter.hpp"

namespace epochcast::run {

struct NamedWork {
  std::string kind;  ///< What is said of it anyway, as task and source: only the like need names.
  ParameterValues parameters;
};

/// Of each as "depth=3 dataset.limit=20" those of its parameters that not all of its kind and model
/// share: most have many that nobody varies. Never those named `shown`, which are said elsewhere.
std::vector<std::string> differences(const std::vector<NamedWork>& works,
                                     const std::set<std::string, std::less<>>& shown);

/// The model of each, and after it what `differences` says.
std::vector<std::string> short_names(const std::vector<NamedWork>& works,
                                     const std::set<std::string, std::less<>>& shown);

}  // namespace epochcast::run
