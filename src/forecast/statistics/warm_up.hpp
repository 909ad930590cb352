// The warm-up of a series of steps.
#pragma once

#include <cstddef>
#include <vector>

namespace epochcast::forecast {

/// The number of values to drop at the start so that the mean of the others has the smallest
/// standard error: MSER (White 1997, "An effective truncation heuristic for bias reduction in
/// simulation output"). At most half of the values, as White and others advise: beyond half, the
/// remaining values are too few to judge by. Linear in the number of values.
std::size_t mser_cut(const std::vector<double>& values);

/// The number of warm-up steps by MSER-5, which uses means of 5 steps: a multiple of 5.
std::size_t warm_up_length(const std::vector<double>& step_s);

}  // namespace epochcast::forecast
