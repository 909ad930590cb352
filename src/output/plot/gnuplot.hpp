// Charts as a script for gnuplot (5 or later): where nothing else can make PNG or PDF.
#pragma once

#include <string>
#include <vector>

#include "src/output/plot/svg.hpp"

namespace epochcast::plot {

/// A script that writes `output`, with the data in it. `terminal`: "png" or "pdf" (with cairo).
/// Texts are quoted so that gnuplot interprets nothing in them. It draws the same values as svg(),
/// less finely: no texts under the pointer, and long names are cut.
std::string gnuplot_script(const std::vector<Chart>& charts, const SvgOptions& options,
                           const std::string& terminal, const std::string& output);

}  // namespace epochcast::plot
