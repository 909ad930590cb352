// Fewer points for a line that has more than the picture has columns of pixels.
#pragma once

#include <vector>

#include "src/output/plot/chart.hpp"

namespace epochcast::plot {

/// The points that a line of `columns` pixels shows: of each column the first, the lowest, the
/// highest and the last (M4; Jugel et al. 2014), so that no outlier is lost. All of them where they
/// are fewer than four a column. `points` must be sorted by x.
std::vector<Point> thinned(const std::vector<Point>& points, std::size_t columns);

}  // namespace epochcast::plot
