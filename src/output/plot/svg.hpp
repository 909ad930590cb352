// Draws charts as SVG, with no other program or library.
#pragma once

#include <string>
#include <vector>

#include "src/output/plot/chart.hpp"

namespace epochcast::plot {

enum class Theme {
  light,      ///< Light colours only: for print and for conversion to PNG and PDF.
  automatic,  ///< Light, or dark where the reader's system prefers it.
  page,       ///< No colours of its own: the HTML page around it has stylesheet() once.
};

struct SvgOptions {
  double width = 900;   ///< In CSS pixels, 320 at least; it scales with the place it is shown in.
  double height = 540;  ///< About; titles in several lines, a long legend and notes add to it.
  Theme theme = Theme::automatic;
};

/// The picture of one chart: an <svg> element without an XML declaration, valid as a file and in
/// the middle of HTML. Text of the chart is escaped, in one line and cut with "…" where it is too
/// long. Each value has a <title>, which browsers show under the pointer. Throws Error where the
/// chart has no value to draw.
std::string svg(const Chart& chart, const SvgOptions& options = {});

/// Several charts below each other in one <svg>. Throws Error if there is none.
std::string svg(const std::vector<Chart>& charts, const SvgOptions& options = {});

/// The rules for a page with pictures of Theme::page: CSS with the variables --plot-text,
/// --plot-quiet, --plot-grid, --plot-ground and --plot-1 to --plot-8, which the page may set for
/// its own light and dark. All class names begin with "plot-".
std::string stylesheet();

/// The data behind charts as CSV: chart,series,x_axis,x,y_axis,y,low,high,note; a row for each
/// point, also those that a picture leaves out, with numbers in full precision.
std::string csv(const std::vector<Chart>& charts);

}  // namespace epochcast::plot
