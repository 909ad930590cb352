// Names of what the rows of a table are of, as short as tells them apart.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/comparable.hpp"

namespace epochcast {

/// What a row is of.
struct NamedWork {
  std::string kind;  ///< What its other columns say, as task and source: only the like need names.
  ParameterValues parameters;
};

/// The model of each, and as "depth=3" or "dataset.limit=20" those of its parameters that not all
/// of its kind and model share: most have many that nobody varies. Never those named `shown`, which
/// have columns of their own.
std::vector<std::string> short_names(const std::vector<NamedWork>& works,
                                     const std::set<std::string, std::less<>>& shown);

}  // namespace epochcast
