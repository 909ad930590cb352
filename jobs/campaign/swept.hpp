// What a sweep varies, for people: of a point's parameters its id says few and hashes the rest.
#pragma once

#include <map>
#include <string>

#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// Of every point those parameters that tell it from others of its model and that its id does not
/// say: "depth=2", "batch=32 dataset.limit=100"; "" where there is none.
std::map<std::string, std::string> swept_values(const Index& index);

}  // namespace epochcast::jobs
