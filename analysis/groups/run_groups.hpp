// Which runs may be compared: records sorted into groups of equal conditions, and those that may
// not, with why.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/records/records.hpp"
#include "src/base/core/statistics.hpp"
#include "src/record/run/parameter.hpp"

namespace epochcast::analysis {

/// Complete, untainted runs of one allocation on one kind of device, all with the same parameters
/// but for epochs, seed, repeat and what the hardware is.
struct RunGroup {
  std::vector<std::string> by;  ///< Values of the attributes given as `by`.
  std::string allocation;
  std::string device;
  std::string source;
  run::ParameterValues parameters =
      {};  ///< Of all its runs; of the groups that are compared, the same.
  /// Of these as "model.depth=4 batch=100" what not all runs beside it had; "": they all had them.
  std::string chosen = {};
  std::map<std::int64_t, std::vector<const record::Record*>> by_epochs = {};  ///< Never empty.

  /// "cpu2", "cpu2 64" with a value of `by`, "cpu2 (published)" where it was not measured.
  std::string label() const;
  /// Any of its runs, for what all have in common.
  const record::Record& example() const { return *by_epochs.begin()->second.front(); }
  /// The runs of `epochs` epochs; empty if there are none.
  const std::vector<const record::Record*>& runs(std::int64_t epochs) const;
  /// total_training_s of each of those runs.
  std::vector<double> totals_s(std::int64_t epochs) const;
  /// Over those.
  std::optional<Summary> total_s(std::int64_t epochs) const;
  /// The lab's forecast: `epochs` times a run of 1 epoch. Nothing without one, and for 1 epoch.
  std::optional<double> predicted_s(std::int64_t epochs) const;
  /// One line if the runs used different models of CPU or GPU, one if different numbers of CPUs,
  /// one if different versions of a library: their median is then of unlike runs.
  std::vector<std::string> hardware_remarks() const;
};

struct Study {
  std::vector<std::string> by;  ///< The attributes that the groups are also separated by.
  /// CPU allocations before GPU allocations, each by rising CPU count.
  std::vector<RunGroup> groups;
  std::vector<ExcludedRun> excluded;  ///< In the order of the records.
};

/// What becomes of an allocation none of whose runs has the parameters of the others.
enum class OtherWork {
  keep,      ///< It gets a group of its own parameters.
  leave_out  ///< So do its runs.
};

/// Sorts records into groups. Of those with the same values of `by` and source all have, where they
/// can, the parameters that most allocations ran, and of these most runs had; of two the ones that
/// come first. `allocation` and `source` in `by` change nothing: groups always differ in them.
/// Pointers in the result go into `records`.
/// Throws Error for an attribute in `by` that no record has.
Study sort_runs(const std::vector<LoadedRecord>& records, const std::vector<std::string>& by,
                OtherWork other = OtherWork::keep);

}  // namespace epochcast::analysis
