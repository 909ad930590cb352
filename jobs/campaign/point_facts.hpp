// Gathers what is known of the points of a folder.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/attempts.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/point_end.hpp"

namespace epochcast::jobs {

struct FolderFacts {
  std::vector<PointFacts> points = {};
  std::string made_as = {};  ///< The folder that this one was copied or moved from; empty: none.
  std::string scheduler_problem = {};  ///< Why the scheduler did not answer; empty: it did, or
                                       ///< there is none.
};

/// Of the points of the index that `filters` select. Reads the folder, and asks the scheduler once.
/// With `tails`, reads of the records only what is new since the last call with the same ones.
FolderFacts gather_facts(const OutFolder& out, const std::vector<std::string>& filters,
                         RecordTails* tails);

}  // namespace epochcast::jobs
