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

/// Where the program is. Empty where it has not said so.
struct Position {
  std::optional<std::int64_t> epoch, epochs, step, steps;
  std::int64_t epochs_done = 0;
};

}  // namespace epochcast::progress
