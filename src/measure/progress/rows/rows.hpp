// What the readings of a run become: rows of its record, and where the program is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::progress {

/// The rows that are complete since the last call.
struct Rows {
  std::vector<record::Epoch> epochs;
  std::vector<record::Iteration> iterations;
  std::vector<record::Metric> metrics;
  std::vector<record::Span> spans;
  std::optional<double> total_s = {};  ///< The time of the whole run, as the program states it.
};

/// Adds to the start of every row.
void shift(Rows& rows, double by_s);

/// Some programs state the time since the start of the run with each epoch: 60, 120, 180 s. Where
/// the durations look so, they become 60 s each; returns whether they do.
bool undo_running_sums(std::vector<record::Epoch>& epochs);

/// Where the program is. Empty where it has not said so.
struct Position {
  std::optional<std::int64_t> epoch, epochs, step, steps;
  std::int64_t epochs_done = 0;
};

}  // namespace epochcast::progress
