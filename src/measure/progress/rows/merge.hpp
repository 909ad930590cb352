// Rows of a hook in the program (--hook) and rows of its output, as the rows of one record: times
// are the hook's; the length of the run, numbers and metrics are those of the output, where the
// hook does not know them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/measure/progress/reading/reading.hpp"
#include "src/measure/progress/rows/rows.hpp"

namespace epochcast::progress {

/// How the epochs of a hook go with those of the output.
struct EpochMatch {
  std::size_t pairs = 0;       ///< Epochs that both know.
  bool same_order = true;      ///< The numbers of both differ by the same in each pair.
  std::int64_t of_hook = 0;    ///< Added to the hook's numbers: those of the record.
  std::int64_t of_output = 0;  ///< Added to the output's.
  std::string difference;      ///< What they tell differently; empty: nothing.
};

/// Of epochs in the order of their times. An epoch of the output goes with that of the hook whose
/// middle it contains. A hook that counts from 0 may not know that the run was resumed: the
/// output's numbers count if they are larger.
EpochMatch match(const std::vector<record::Epoch>& hook, const std::vector<record::Epoch>& output);

/// The rows of one run, as they come. Until an epoch is whole, and for the first ones until its
/// number is known, rows wait.
class Merge {
 public:
  enum class From { undecided, hook, output };

  /// A reading of the hook, before the rows that it leads to.
  void see(const Reading& reading);
  /// The program tells its epochs itself, by events: then they count, if none of the hook does yet.
  void leave_to_output();
  /// The rows to record, of those that are new since the last call. `ended`: there are no more.
  Rows add(Rows hook, Rows output, bool ended);
  /// Where the program is.
  Position position(Position hook, const Position& output) const;
  /// Whose epochs are recorded.
  From from() const { return from_; }
  /// After the last rows: what the two tell differently; empty: nothing.
  std::string difference() const;

 private:
  void decide(bool ended);
  void take_metrics(Rows& rows, bool ended);

  From from_ = From::undecided;
  bool is_open_ = false;  ///< The hook has begun an epoch, and not given it up.
  Rows hook_, output_;    ///< What waits.
  std::vector<record::Epoch> hook_epochs_, output_epochs_;
  EpochMatch match_;
  std::set<std::pair<std::int64_t, std::string>> told_;  ///< Epoch and name of values of an epoch.
};

}  // namespace epochcast::progress
