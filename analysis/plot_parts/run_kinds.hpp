// Which runs of a picture are alike: one allocation, one work, whatever seed, repeat and length.
#pragma once

#include <string>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/output/plot/chart.hpp"

namespace epochcast::analysis {

/// Whether the records are not all of one source; where they are, the subtitle says which.
bool several_sources(const std::vector<LoadedRecord>& records);

struct RunKinds {
  /// "cpu2", "cpu2, batch=64" where runs on cpu2 differ in it, "batch=64" where all were on cpu2.
  std::vector<std::string> names;
  std::vector<std::size_t> kind;  ///< Of each record: its place in `names`.
};

/// Kinds in the order of the records; numbers in names by value. Throws Error for an attribute in
/// `by` that no record has.
RunKinds kinds_of_runs(const std::vector<LoadedRecord>& records,
                       const std::vector<std::string>& by);

/// For a chart whose series have the kind of their run as look: of more than six kinds, only those
/// keep a colour and a place in the legend whose lines end highest, or lowest; on held-out data
/// (dashed), where a kind has that. The others become grey; a note says how many.
void emphasize(plot::Chart& chart, bool highest);

}  // namespace epochcast::analysis
