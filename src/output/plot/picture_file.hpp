// Charts as a file: SVG by our own drawing; PNG and PDF by rsvg-convert.
#pragma once

#include <string>
#include <vector>

#include "src/output/plot/svg.hpp"

namespace epochcast::plot {

/// Throws Error unless `path` ends in .svg, or in .png or .pdf and rsvg-convert is there.
void require_picture_format(const std::string& path);

/// Writes the charts as the suffix of `path` says. PNG has twice the pixels of `options`, on light
/// ground; rsvg-convert makes it and PDF from our SVG. Throws what require_picture_format and svg()
/// throw, and RunError if the file cannot be written.
void write_picture(const std::string& path, const std::vector<Chart>& charts,
                   const SvgOptions& options);

}  // namespace epochcast::plot
