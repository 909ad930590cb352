// The theme of charts: colours that colour-blind readers tell apart, and with each another marker
// and dash, for print in grey.
#pragma once

#include <cstddef>
#include <string>

#include "src/output/plot/chart.hpp"

namespace epochcast::plot {

inline constexpr int colors = 8;

/// How one series is drawn.
struct Look {
  int color = 1;          ///< From 1 to `colors`: the classes plot-f1 (fill) and plot-l1 (line).
  int marker = 0;         ///< For marker().
  std::string dash = {};  ///< As stroke-dasharray; empty: a whole line.
};

/// Of the series at `place` in its chart.
Look look_of(const Series& series, std::size_t place);

/// The shape number `marker` (any number; there are seven) about a point, as an element without its
/// end: "<circle class=... />" lacks "/>" so that the caller may put a <title> into it.
std::string marker(int shape, double x, double y, double radius, const std::string& classes);

/// The rules of the pictures with these colours.
enum class Colors { light, dark, variables };
std::string rules(Colors colors);

}  // namespace epochcast::plot
