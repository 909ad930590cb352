// Which runs may be compared: records sorted into groups of equal conditions, and those that may
// not, with why.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/left_out.hpp"
#include "analysis/records.hpp"
#include "analysis/statistics.hpp"

namespace epochcast {

/// Complete, untainted runs of one allocation on one kind of device, all with the same parameters
/// but for epochs, seed and repeat.
struct RunGroup {
  std::vector<std::string> by;  ///< Values of the attributes given as `by`.
  std::string allocation;
  std::string device;
  std::string source;
  std::map<std::int64_t, std::vector<const Record*>> by_epochs;  ///< Never empty.

  /// "cpu2", "cpu2 64" with a value of `by`, "cpu2 (published)" where it was not measured.
  std::string label() const;
  /// Any of its runs, for what all have in common.
  const Record& example() const { return *by_epochs.begin()->second.front(); }
  /// The runs of so many epochs; none: an empty list.
  const std::vector<const Record*>& runs(std::int64_t epochs) const;
  /// total_training_s over those runs.
  std::optional<Summary> total_s(std::int64_t epochs) const;
};

struct Study {
  /// CPU allocations before GPU allocations, each by rising CPU count.
  std::vector<RunGroup> groups;
  std::vector<LeftOutRun> left_out;  ///< In the order of the records.
};

/// Sorts records into groups. Pointers in the result go into `records`.
/// Throws Error for an attribute in `by` that no record has.
Study sort_runs(const std::vector<LoadedRecord>& records, const std::vector<std::string>& by);

}  // namespace epochcast
