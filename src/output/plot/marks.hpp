// The data of a chart as elements of SVG.
#pragma once

#include <string>

#include "src/output/plot/frame.hpp"

namespace epochcast::plot {

/// The series at `place`, every value with the text that the pointer shows.
std::string series_elements(const Chart& chart, std::size_t place, const Frame& frame);

/// Its swatch in the legend, left of `entry`.
std::string swatch(const Series& series, const LegendEntry& entry);

}  // namespace epochcast::plot
