#include "src/output/plot/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/output/plot/elements.hpp"
#include "src/output/plot/theme.hpp"
#include "src/output/plot/thin.hpp"
#include "src/output/plot/words.hpp"

namespace epochcast::plot {
namespace {

using Kind = Series::Kind;

constexpr double radius = 4.2;
/// More markers hide each other; more titles make a file of megabytes.
constexpr std::size_t most_markers = 400;
/// Of a series with more points, these show their values.
constexpr std::size_t most_places = 100;

std::string with_unit(double value, const Axis& axis) {
  return axis.unit.empty() ? shown(value) : shown(value) + " " + axis.unit;
}

std::string x_text(const Axis& axis, double x) {
  if (axis.scale != Axis::Scale::categories) {
    return (axis.label.empty() ? "" : axis.label + " ") + with_unit(x, axis);
  }
  const auto place = static_cast<std::size_t>(std::lround(std::max(0.0, x)));
  return place < axis.categories.size() ? axis.categories[place] : "";
}

class SeriesDrawing {
 public:
  SeriesDrawing(const Chart& chart, std::size_t place, const Frame& frame)
      : chart_(chart), frame_(frame), series_(chart.series[place]), look_(look_of(series_, place)) {
    set_slot(place);
  }

  std::string draw() const {
    std::string text;
    if (series_.kind == Kind::band) {
      text = band();
    } else if (series_.kind == Kind::bars) {
      text = bars();
    } else {
      text = series_.kind == Kind::points ? "" : lines();
      text += whiskers("plot-whisker plot-l" + color()) + markers();
    }
    return text.empty() ? ""
                        : fmt::format("<g{}>\n{}</g>\n",
                                      series_.faint ? R"( class="plot-faint")" : "", text);
  }

 private:
  std::string color() const { return fmt::format("{}", look_.color); }

  /// On categories, series of bars and points share the room of each.
  void set_slot(std::size_t place) {
    if (chart_.x.scale != Axis::Scale::categories) {
      return;
    }
    const auto shares_room = [](const Series& series) {
      return series.kind == Kind::bars || (series.kind == Kind::points && !series.look);
    };
    std::size_t before = 0;
    std::size_t all = 0;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      before += i < place && shares_room(chart_.series[i]) ? 1 : 0;
      all += shares_room(chart_.series[i]) ? 1 : 0;
    }
    const double slot = (frame_.right - frame_.left) /
                        static_cast<double>(std::max<std::size_t>(chart_.x.categories.size(), 1));
    bar_px_ = std::min(0.78 * slot / static_cast<double>(std::max<std::size_t>(all, 1)), 72.0);
    if (shares_room(series_)) {
      shift_px_ = (static_cast<double>(before) - (static_cast<double>(all) - 1) / 2) * bar_px_;
    }
  }

  bool is_visible(const Point& point) const {
    return frame_.x.shows(point.x) && frame_.y.shows(point.y) && is_inside(frame_.x, point.x) &&
           is_inside(frame_.y, point.y);
  }
  static bool is_inside(const Scale& scale, double value) {
    const double place = scale.place(value);
    return place > -0.001 && place < 1.001;
  }

  double at_x(const Point& point) const { return frame_.at_x(point.x) + shift_px_; }
  double at_y(double y) const {
    return frame_.at_y(std::clamp(y, frame_.y.low(), frame_.y.high()));
  }

  std::string title_of(const Point& point) const {
    std::string text = series_.name.empty() ? "" : series_.name + ": ";
    text += x_text(chart_.x, point.x) + ", ";
    text += (chart_.y.label.empty() ? "" : chart_.y.label + " ") + with_unit(point.y, chart_.y);
    if (point.low && point.high) {
      text += fmt::format(" ({} to {})", shown(*point.low), shown(*point.high));
    }
    return point.note.empty() ? text : text + "; " + point.note;
  }

  /// The visible points in pieces: a point that cannot be drawn is a gap.
  std::vector<std::vector<Point>> pieces() const {
    std::vector<std::vector<Point>> result(1);
    for (const auto& point : series_.points) {
      if (is_visible(point)) {
        result.back().push_back(point);
      } else if (!result.back().empty()) {
        result.emplace_back();
      }
    }
    return result;
  }

  std::string lines() const {
    std::string d;
    for (const auto& piece : pieces()) {
      const auto points =
          thinned(piece, static_cast<std::size_t>(std::max(1.0, frame_.right - frame_.left)));
      for (std::size_t i = 0; i < points.size(); ++i) {
        const auto x = px(at_x(points[i]));
        const auto y = px(at_y(points[i].y));
        d += i == 0                        ? fmt::format("M{} {}", x, y)
             : series_.kind == Kind::steps ? fmt::format("H{}V{}", x, y)
                                           : fmt::format("L{} {}", x, y);
      }
    }
    const bool dense = series_.points.size() > 1000;
    return d.empty()
               ? ""
               : path_element(
                     d, fmt::format("plot-line{} plot-l{}", dense ? " plot-thin" : "", color()),
                     look_.dash.empty() || dense
                         ? ""
                         : fmt::format(R"( stroke-dasharray="{}")", look_.dash));
  }

  /// Markers, or for lines without them places for the pointer. Of many points some have a place.
  std::string markers() const {
    const bool marked = series_.kind == Kind::points || series_.kind == Kind::line_points;
    const auto count = series_.points.size();
    const bool few = count <= most_markers;
    const std::size_t stride = few ? 1 : (count + most_places - 1) / most_places;
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& point = series_.points[i];
      const bool has_place = i % stride == 0;
      if (!is_visible(point) || (!marked && !has_place)) {
        continue;
      }
      const double size = few ? radius : 1.6;
      const auto begun = marked ? marker(few ? look_.marker : 0, at_x(point), at_y(point.y), size,
                                         (few ? "plot-point plot-f" : "plot-f") + color())
                                : marker(0, at_x(point), at_y(point.y), 7, "plot-hit");
      text += has_place ? with_title(begun, title_of(point)) : begun + "/>\n";
    }
    return text;
  }

  std::string whiskers(const std::string& classes) const {
    std::string text;
    for (const auto& point : series_.points) {
      if (!is_visible(point) || !point.low || !point.high || !(*point.low < *point.high) ||
          !frame_.y.shows(*point.high)) {
        continue;
      }
      const double low =
          frame_.y.shows(*point.low) ? at_y(*point.low) : frame_.at_y(frame_.y.low());
      const double high = at_y(*point.high);
      const double x = at_x(point);
      constexpr double cap = 4;
      text += path_element(fmt::format("M{0} {1}h{2}M{3} {1}V{4}M{0} {4}h{2}", px(x - cap), px(low),
                                       px(2 * cap), px(x), px(high)),
                           classes);
    }
    return text;
  }

  std::string bars() const {
    std::string text;
    const double base = at_y(0);
    const double width = 0.92 * bar_px_;
    for (const auto& point : series_.points) {
      if (!is_visible(point)) {
        continue;
      }
      const double y = at_y(point.y);
      text +=
          with_title(fmt::format(R"(<rect class="plot-f{}" x="{}" y="{}" width="{}" height="{}")",
                                 color(), px(at_x(point) - width / 2), px(std::min(y, base)),
                                 px(width), px(std::max(std::abs(base - y), 0.5))),
                     title_of(point));
    }
    return text + whiskers("plot-onbar") + (series_.values ? bar_values() : "");
  }

  std::string bar_values() const {
    std::string text;
    for (const auto& point : series_.points) {
      const auto value = shown(point.y);
      if (is_visible(point) && text_width(value, small_px) <= bar_px_) {
        double top = std::min(at_y(point.y), at_y(0));
        if (point.high && frame_.y.shows(*point.high)) {
          top = std::min(top, at_y(*point.high));  // above the whisker
        }
        text += text_element(at_x(point), top - 5, "plot-value plot-halo", Anchor::middle, value);
      }
    }
    return text;
  }

  std::string band() const {
    std::string there;
    std::string back;
    for (const auto& point : series_.points) {
      const bool visible = frame_.x.shows(point.x) && is_inside(frame_.x, point.x) && point.low &&
                           point.high && frame_.y.shows(*point.low) && frame_.y.shows(*point.high);
      if (visible) {
        const auto x = px(at_x(point));
        there += fmt::format("{}{} {}", there.empty() ? "M" : "L", x, px(at_y(*point.high)));
        back = fmt::format("L{} {}", x, px(at_y(*point.low))) + back;
      }
    }
    return there.empty() ? "" : path_element(there + back + "z", "plot-band plot-f" + color());
  }

  const Chart& chart_;
  const Frame& frame_;
  const Series& series_;
  Look look_;
  double bar_px_ = 0;
  double shift_px_ = 0;
};

}  // namespace

std::string series_elements(const Chart& chart, std::size_t place, const Frame& frame) {
  return SeriesDrawing(chart, place, frame).draw();
}

std::string swatch(const Series& series, const LegendEntry& entry) {
  const auto look = look_of(series, entry.series);
  const auto fill = fmt::format("plot-f{}", look.color);
  const auto rect = [&](const std::string& classes) {
    return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"22\" height=\"11\"/>\n",
                       classes, px(entry.x), px(entry.y - 6));
  };
  if (series.kind == Kind::bars) {
    return rect(fill);
  }
  if (series.kind == Kind::band) {
    return rect("plot-band " + fill);
  }
  std::string text;
  if (series.kind != Kind::points) {
    text =
        path_element(fmt::format("M{} {}h22", px(entry.x), px(entry.y)),
                     fmt::format("plot-line plot-l{}", look.color),
                     look.dash.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", look.dash));
  }
  if (series.kind == Kind::points || series.kind == Kind::line_points) {
    text += marker(look.marker, entry.x + 11, entry.y, radius, "plot-point " + fill) + "/>\n";
  }
  return series.faint ? "<g class=\"plot-faint\">\n" + text + "</g>\n" : text;
}

}  // namespace epochcast::plot
