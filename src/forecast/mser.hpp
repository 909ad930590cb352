// Where the warm-up of a series ends.
#pragma once

#include <cstddef>
#include <vector>

namespace epochcast::forecast {

/// How many values at the start to leave out, so that the mean of the others has the smallest
/// standard error: MSER (White 1997, "An effective truncation heuristic for bias reduction in
/// simulation output"). At most half, as White and others advise: beyond that it judges by too few
/// values. Linear in their number.
std::size_t mser_cut(const std::vector<double>& values);

/// The same in steps, by means of 5 as MSER-5 has it: a multiple of 5.
std::size_t warm_up_length(const std::vector<double>& step_s);

}  // namespace epochcast::forecast
