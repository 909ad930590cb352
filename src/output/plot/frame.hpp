// Where everything of a chart goes: header, legend, axes and notes about the area of the data.
#pragma once

#include <string>
#include <vector>

#include "src/output/plot/chart.hpp"
#include "src/output/plot/scale.hpp"
#include "src/output/plot/svg.hpp"

namespace epochcast::plot {

inline constexpr double title_px = 17;
inline constexpr double text_px = 13;
inline constexpr double small_px = 12;

/// A line of text at the height of its baseline.
struct TextLine {
  double y = 0;
  std::string text;
};

/// A name in the legend; the swatch is left of it.
struct LegendEntry {
  std::size_t series = 0;  ///< Place in Chart::series.
  double x = 0;            ///< Of the swatch.
  double y = 0;            ///< Middle of the line.
  std::string text;        ///< Shortened where it is too long.
};

struct Frame {
  double width = 0;
  double height = 0;  ///< Of everything.
  double left = 0;    ///< Edges of the area of the data.
  double right = 0;
  double top = 0;
  double bottom = 0;
  Scale x;
  Scale y;
  std::vector<Tick> x_ticks = {};  ///< Without those whose labels would overlap.
  std::vector<Tick> y_ticks = {};
  bool slanted = false;  ///< Labels of categories are too long to stand beside each other.
  double x_label_y = 0;
  std::vector<TextLine> titles = {};
  std::vector<TextLine> subtitles = {};
  std::vector<LegendEntry> legend = {};
  TextLine more_legend = {};  ///< "and 12 more" where not all names have room; else empty.
  std::vector<TextLine> notes = {};

  double at_x(double value) const { return left + x.place(value) * (right - left); }
  double at_y(double value) const { return bottom - y.place(value) * (bottom - top); }
};

/// "time (s)".
std::string axis_text(const Axis& axis);

/// Whether the label of a horizontal line is short enough to stand right of the area.
bool stands_outside(const Reference& reference);

/// Places everything. Throws std::logic_error where has_values(chart) is false.
Frame frame_of(const Chart& chart, const SvgOptions& options);

}  // namespace epochcast::plot
