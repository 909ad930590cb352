// A picture as plain data: what is drawn, in the units of the data. svg.hpp decides its appearance.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace epochcast::plot {

struct Axis {
  enum class Scale { linear, log, categories };

  std::string label;
  std::string unit = {};  ///< "s"; empty: none. Shown as "label (unit)".
  Scale scale = Scale::linear;
  /// Names of the places 0, 1, 2, ... of a scale of categories.
  std::vector<std::string> categories = {};
  bool from_zero = false;          ///< A linear axis begins at 0 although the data do not.
  bool whole = false;              ///< Only whole numbers are marked: epochs, workers.
  std::vector<double> marks = {};  ///< Marks exactly these; empty: round numbers.
  std::optional<double> low = {};  ///< Fixes an end of the axis; otherwise the data decide.
  std::optional<double> high = {};
};

struct Point {
  double x = 0;                    ///< On categories: the index of the category.
  double y = 0;                    ///< NaN: unknown; a line has a gap there.
  std::optional<double> low = {};  ///< The interval of y, drawn as a bar or as the band's edge.
  std::optional<double> high = {};
  std::string note = {};  ///< Shown with the values under the pointer; may be empty.
};

struct Series {
  enum class Kind {
    points,
    line,
    line_points,  ///< A line with a marker at each point.
    bars,         ///< Side by side with the other series of bars in each category.
    steps,        ///< The value holds until the next point.
    band,         ///< The area between low and high.
  };

  std::string name = {};
  bool listed = true;  ///< In the legend, if it has a name.
  Kind kind = Kind::points;
  std::vector<Point> points = {};
  /// Series with the same number look the same (a line and the band about it); std::nullopt: the
  /// place in Chart::series.
  std::optional<int> look = {};
  bool dashed = false;
  bool faint = false;   ///< Drawn in the background, such as single repeats behind their median.
  bool values = false;  ///< Each bar has its value as text, as far as there is room.
};

/// A line across the picture at a fixed value.
struct Reference {
  enum class Direction {
    horizontal,
    vertical,
    diagonal,  ///< y = at * x: forecast equal to actual, ideal speed-up.
  };

  Direction direction = Direction::horizontal;
  double at = 0;
  std::string label = {};
};

/// A part of the x axis that is shaded: the warm-up.
struct Span {
  double from = 0;
  double to = 0;
  std::string label = {};
};

/// A text at a place of the picture.
struct Annotation {
  double x = 0;
  double y = 0;
  std::string text;
};

struct Chart {
  std::string name;           ///< One word, for file names and ids: "lab".
  std::string title;          ///< Also what a screen reader says first.
  std::string subtitle = {};  ///< What is shown and of how many: "median of repeats; n = 12 runs".
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};
  std::vector<Reference> references = {};
  std::vector<Span> spans = {};
  std::vector<Annotation> annotations = {};
  std::vector<std::string> notes = {};  ///< Below the picture: what was left out and why.
};

/// Whether the axis can show the value: finite, and above 0 if it is logarithmic.
bool can_show(const Axis& axis, double value);

/// Whether a value of any series can be drawn.
bool has_values(const Chart& chart);

}  // namespace epochcast::plot
