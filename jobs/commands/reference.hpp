// Pages of docs/reference: the keys of experiments and of cluster profiles.
#pragma once

#include <string>

namespace epochcast::jobs {

/// docs/reference/experiment.md.
std::string experiment_page();

/// docs/reference/cluster.md.
std::string cluster_page();

}  // namespace epochcast::jobs
