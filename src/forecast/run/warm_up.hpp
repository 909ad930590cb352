// What is not steady in a series of steps: its warm-up, and single steps that stalled.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "src/forecast/run/step.hpp"

namespace epochcast::forecast {

/// The number of values to drop at the start so that the mean of the others has the smallest
/// standard error: MSER (White 1997, "An effective truncation heuristic for bias reduction in
/// simulation output"). At most half of the values, as White and others advise: beyond half, the
/// remaining values are too few to judge by. Linear in the number of values.
std::size_t mser_cut(const std::vector<double>& values);

/// The number of warm-up steps by MSER-5, which uses means of 5 steps: a multiple of 5.
std::size_t warm_up_length(const std::vector<double>& step_s);

/// Steps in a row that stalled.
struct Stall {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< After the last one.

  bool operator==(const Stall&) const = default;
};

/// The step from index `first` on whose rate is far from all others: by more than machines differ,
/// and by Dixon's Q test at 5 %. A slow step has priority over a fast one, since contention only
/// adds time. Two slow steps in a row are one stall if faster ones follow, else a level, and
/// so are two fast ones. Of two steps, the last is a stall if it is slow by Dixon's test at 20 %
/// among three, with the one before `first`: if the first two agree. Of two alone, none is.
std::optional<Stall> stall_among(const std::vector<Step>& steps, std::size_t first);

}  // namespace epochcast::forecast
