// Which runs of a picture are alike: one allocation, one work, whatever seed, repeat and length.
#pragma once

#include <string>
#include <vector>

#include "analysis/records/records.hpp"

namespace epochcast::analysis {

/// Whether the records are not all of one source; where they are, the subtitle says which.
bool several_sources(const std::vector<LoadedRecord>& records);

struct RunKinds {
  std::vector<std::string> names;  ///< "cpu2", "cpu2, batch=64" where runs on cpu2 differ in it.
  std::vector<std::size_t> kind;   ///< Of each record: its place in `names`.
};

/// Kinds in the order of the records; numbers in names by value. Throws Error for an attribute in
/// `by` that no record has.
RunKinds kinds_of_runs(const std::vector<LoadedRecord>& records,
                       const std::vector<std::string>& by);

}  // namespace epochcast::analysis
