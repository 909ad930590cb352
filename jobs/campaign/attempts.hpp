// The attempts at points, as their own records tell of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "src/record/record.hpp"

namespace epochcast::jobs {

struct Attempt {
  std::string record;  ///< The .h5 file; its JSON lines stand beside it.
  record::RecordHeader header;
};

/// Point → its attempts, oldest first. Reads the JSON lines, so it may be called while jobs write;
/// lines without a whole header (a job killed in its first moment) are no attempt yet.
std::map<std::string, std::vector<Attempt>> read_attempts(const OutFolder& out);

}  // namespace epochcast::jobs
