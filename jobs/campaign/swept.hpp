// The swept parameters of a point as text. Its id shows only a few and hashes the others.
#pragma once

#include <map>
#include <string>

#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// Point -> the parameters in which it differs from other points of its model and that its id does
/// not show: "depth=2", "batch=32 dataset.limit=100"; "" if there are none.
std::map<std::string, std::string> swept_values(const Index& index);

}  // namespace epochcast::jobs
