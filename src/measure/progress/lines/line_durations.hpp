// Which of the durations that a line states is the time of its epoch.
#pragma once

#include <optional>
#include <string_view>

namespace epochcast::progress {

/// What the durations of a line say, each by its own name. A line may state parts, a sum of parts,
/// and times of other things: each counts once, for what its name says.
struct LineDurations {
  std::optional<double> epoch_s;       ///< Without evaluation_s, where the line states that.
  std::optional<double> evaluation_s;  ///< Of all evaluations on the line.
  std::optional<double> step_s;        ///< Of one step.
  std::optional<double> total_s;       ///< "total time": of all parts, or of the run so far.
  /// Two durations may each be that of the epoch, and give different times: epoch_s is empty.
  bool undecided = false;
  bool named = false;  ///< The words before it name a time: "took", "epoch time"; not "bwd_time".
};

/// Whether its last word is one for a time in another language, or its first before a phase: "durée
/// validation".
bool is_foreign_time(std::string_view name);

/// `text`: what stands after the number of the epoch, or the whole line.
LineDurations durations_of(std::string_view text);

}  // namespace epochcast::progress
