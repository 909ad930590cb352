// The most memory that a longer run like a recorded one will hold: what was seen, and what it grows
// by.
#pragma once

#include <variant>
#include <vector>

#include "src/forecast/statistics/prediction.hpp"
#include "src/record/record.hpp"

namespace epochcast::memory {

/// The peaks of runs of the same setting differ by so much (standard deviation, of the logarithm):
/// a longer run meets a few larger pieces. A judgement; errors of past forecasts replace it.
inline constexpr double between_runs = 0.03;

struct MemorySample {
  double at_s = 0;
  double bytes = 0;
};

/// By how much memory grows, in bytes a second; 0: not, or too few samples tell (32 in the second
/// half of them). Only the second half counts, since caches fill at first; it must drift (drifts()
/// in regression.hpp) and rise in both of its halves, which a single jump does not. `samples` in
/// order.
double growth_of(const std::vector<MemorySample>& samples);

struct RunMemory {
  forecast::Prediction node_bytes;  ///< Of the node that holds most.
  double growth = 0;                ///< Of this node, in bytes a second.
};

/// Of a run like `seen` that takes `duration_s` (not a number: not known), at most `longest_s`. The
/// upper ends are not below the peak of `seen`. Returns a Refusal if its peak is not known, and if
/// it grows while the duration is not known.
std::variant<RunMemory, forecast::Refusal> memory_of_run(const record::Record& seen,
                                                         double duration_s, double longest_s);

}  // namespace epochcast::memory
