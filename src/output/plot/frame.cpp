#include "src/output/plot/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/output/plot/words.hpp"

namespace epochcast::plot {
namespace {

constexpr double margin = 16;
constexpr double line_px = 17;
constexpr double swatch_px = 30;  ///< With the space after it.
constexpr std::size_t most_legend = 24;
constexpr double longest_slanted = 170;

std::vector<double> x_values(const Chart& chart) {
  std::vector<double> values;
  for (const auto& series : chart.series) {
    for (const auto& point : series.points) {
      values.push_back(point.x);
    }
  }
  for (const auto& span : chart.spans) {
    values.insert(values.end(), {span.from, span.to});
  }
  for (const auto& reference : chart.references) {
    if (reference.direction == Reference::Direction::vertical) {
      values.push_back(reference.at);
    }
  }
  return values;
}

std::vector<double> y_values(const Chart& chart) {
  std::vector<double> values;
  for (const auto& series : chart.series) {
    for (const auto& point : series.points) {
      if (series.kind != Series::Kind::band) {
        values.push_back(point.y);
      }
      for (const auto& end : {point.low, point.high}) {
        if (end) {
          values.push_back(*end);
        }
      }
    }
  }
  for (const auto& reference : chart.references) {
    if (reference.direction == Reference::Direction::horizontal) {
      values.push_back(reference.at);
    }
  }
  return values;
}

/// Bars stand on 0.
Axis y_axis_of(const Chart& chart) {
  auto axis = chart.y;
  const bool bars = std::ranges::any_of(
      chart.series, [](const Series& series) { return series.kind == Series::Kind::bars; });
  axis.from_zero = axis.from_zero || bars;
  return axis;
}

std::vector<TextLine> placed(const std::vector<std::string>& lines, double step, double& y) {
  std::vector<TextLine> result;
  for (const auto& line : lines) {
    y += step;
    result.push_back({y, line});
  }
  return result;
}

/// Names from left to right, in as many lines as they need; `y` goes below the last.
void place_legend(const Chart& chart, Frame& frame, double& y) {
  double x = margin;
  std::size_t named = 0;
  const double longest = frame.width - 2 * margin - swatch_px;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const auto& name = chart.series[i].name;
    if (name.empty() || !chart.series[i].listed || ++named > most_legend) {
      continue;
    }
    const auto text = shortened(name, longest, text_px);
    const double width = swatch_px + text_width(text, text_px) + 18;
    if (frame.legend.empty()) {
      y += 22;
    } else if (x + width - 18 > frame.width - margin) {
      x = margin;
      y += 20;
    }
    frame.legend.push_back({i, x, y - 4, text});
    x += width;
  }
  if (named > most_legend) {
    y += 18;
    frame.more_legend = {y, fmt::format("and {} more", named - most_legend)};
  }
}

/// Short labels of horizontal lines stand right of the area, where they cover nothing.
double label_room(const Chart& chart) {
  double room = 0;
  for (const auto& reference : chart.references) {
    if (stands_outside(reference)) {
      room = std::max(room, text_width(clean(reference.label), small_px));
    }
  }
  return room;
}

/// Whether the labels of categories fit beside each other.
bool must_slant(const std::vector<Tick>& ticks, double area_px) {
  const double slot = area_px / static_cast<double>(std::max<std::size_t>(ticks.size(), 1));
  return std::ranges::any_of(
      ticks, [&](const Tick& tick) { return text_width(clean(tick.label), small_px) > slot - 8; });
}

/// Takes the label of a mark that would touch the one before it; of slanted ones less is enough.
void thin_labels(Frame& frame) {
  double end = -1e9;
  for (auto& tick : frame.x_ticks) {
    const double half =
        frame.slanted ? small_px * 0.7 : text_width(clean(tick.label), small_px) / 2 + 5;
    const double at = frame.at_x(tick.value);
    if (at - half < end) {
      tick.label.clear();
    } else if (!tick.label.empty()) {
      end = at + half;
    }
  }
}

double widest(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const auto& tick : ticks) {
    width = std::max(width, text_width(clean(tick.label), small_px));
  }
  return width;
}

/// Below the area: marks, the label of the axis, notes.
void place_below(const Chart& chart, Frame& frame) {
  constexpr double slope = 0.64;  // sine of 40 degrees
  const double labels =
      frame.slanted ? 14 + slope * std::min(widest(frame.x_ticks), longest_slanted) : line_px + 3;
  double y = frame.bottom + labels;
  if (const auto label = axis_text(chart.x); !label.empty()) {
    y += 18;
    frame.x_label_y = y;
  }
  y += 6;
  for (const auto& note : chart.notes) {
    const auto lines = placed(wrapped(note, frame.width - 2 * margin, small_px, 3), line_px - 1, y);
    frame.notes.insert(frame.notes.end(), lines.begin(), lines.end());
    y += 3;
  }
  frame.height = y + 10;
}

}  // namespace

std::string axis_text(const Axis& axis) {
  return axis.unit.empty() ? axis.label : fmt::format("{} ({})", axis.label, axis.unit);
}

bool stands_outside(const Reference& reference) {
  constexpr double longest = 90;
  return reference.direction == Reference::Direction::horizontal &&
         text_width(clean(reference.label), small_px) <= longest;
}

Frame frame_of(const Chart& chart, const SvgOptions& options) {
  const auto y_axis = y_axis_of(chart);
  Frame frame{.x = Scale(chart.x, x_values(chart), false),
              .y = Scale(y_axis, y_values(chart), true)};
  frame.width = std::max(options.width, 320.0);
  const double text_space = frame.width - 2 * margin;
  double y = 8;
  frame.titles = placed(wrapped(chart.title, text_space, title_px, 2), 22, y);
  frame.subtitles = placed(wrapped(chart.subtitle, text_space, text_px, 3), 18, y);
  place_legend(chart, frame, y);
  const bool has_label = !axis_text(chart.y).empty();
  frame.top = y + (has_label ? 40 : 18);
  constexpr double around = 150;  // header in three lines, and what is below
  frame.bottom = frame.top + std::max(options.height - around, 140.0);
  const auto y_marks = static_cast<std::size_t>(std::max(2.0, (frame.bottom - frame.top) / 55));
  frame.y_ticks = frame.y.ticks(y_marks);
  frame.left = margin + std::min(widest(frame.y_ticks), frame.width / 4) + 8;
  frame.right = frame.width - margin - 8 - label_room(chart);
  const auto x_marks = static_cast<std::size_t>(std::max(2.0, (frame.right - frame.left) / 75));
  frame.x_ticks = frame.x.ticks(x_marks);
  frame.slanted = chart.x.scale == Axis::Scale::categories &&
                  must_slant(frame.x_ticks, frame.right - frame.left);
  if (frame.slanted && !frame.x_ticks.empty()) {
    // The first label runs to the left of its place.
    const double reach =
        0.77 * std::min(text_width(clean(frame.x_ticks.front().label), small_px), longest_slanted);
    const double slot = (frame.right - frame.left) / static_cast<double>(frame.x_ticks.size());
    frame.left = std::max(frame.left, std::min(reach + 8 - slot / 2, frame.width / 4));
  }
  thin_labels(frame);
  place_below(chart, frame);
  return frame;
}

}  // namespace epochcast::plot
