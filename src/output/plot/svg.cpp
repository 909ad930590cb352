#include "src/output/plot/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/base/core/error.hpp"
#include "src/output/plot/elements.hpp"
#include "src/output/plot/frame.hpp"
#include "src/output/plot/marks.hpp"
#include "src/output/plot/theme.hpp"
#include "src/output/plot/words.hpp"

namespace epochcast::plot {
namespace {

using Direction = Reference::Direction;
constexpr double edge = 16;  // as in the frame

std::string header(const Chart& chart, const Frame& frame) {
  std::string text;
  for (const auto& line : frame.titles) {
    text += text_element(edge, line.y, "plot-title", Anchor::start, line.text);
  }
  for (const auto& line : frame.subtitles) {
    text += text_element(edge, line.y, "plot-subtitle", Anchor::start, line.text);
  }
  for (const auto& entry : frame.legend) {
    const auto& series = chart.series[entry.series];
    text += swatch(series, entry);
    text += text_element(entry.x + 28, entry.y + 4.5, "plot-label", Anchor::start, entry.text);
  }
  if (!frame.more_legend.text.empty()) {
    text +=
        text_element(edge, frame.more_legend.y, "plot-note", Anchor::start, frame.more_legend.text);
  }
  return text;
}

std::string category_label(const Frame& frame, double x, const std::string& label) {
  constexpr double longest = 170;
  const auto text = escaped(shortened(label, longest, small_px));
  const auto y = px(frame.bottom + 16);
  return fmt::format(
      "<text class=\"plot-tick\" x=\"{0}\" y=\"{1}\" text-anchor=\"end\" "
      "transform=\"rotate(-40 {0} {1})\">{2}</text>\n",
      px(x + 4), y, text);
}

std::string x_axis(const Chart& chart, const Frame& frame) {
  const bool categories = chart.x.scale == Axis::Scale::categories;
  std::string text;
  for (const auto& tick : frame.x_ticks) {
    const double x = frame.at_x(tick.value);
    if (!categories) {
      text += line_element(x, frame.top, x, frame.bottom, "plot-grid");
      text += line_element(x, frame.bottom, x, frame.bottom + 4, "plot-axis");
    }
    if (tick.label.empty()) {
      continue;
    }
    text += frame.slanted ? category_label(frame, x, tick.label)
                          : text_element(x, frame.bottom + 18, "plot-tick", Anchor::middle,
                                         clean(tick.label));
  }
  text += line_element(frame.left, frame.bottom, frame.right, frame.bottom, "plot-axis");
  if (frame.x_label_y > 0) {
    const double room = frame.right - frame.left;
    text += text_element((frame.left + frame.right) / 2, frame.x_label_y, "plot-label",
                         Anchor::middle, shortened(axis_text(chart.x), room, text_px));
  }
  return text;
}

std::string y_axis(const Chart& chart, const Frame& frame) {
  std::string text;
  for (const auto& tick : frame.y_ticks) {
    const double y = frame.at_y(tick.value);
    text += line_element(frame.left, y, frame.right, y, "plot-grid");
    text += text_element(frame.left - 8, y + 4, "plot-tick", Anchor::end,
                         shortened(tick.label, frame.width / 4, small_px));
  }
  if (const auto label = axis_text(chart.y); !label.empty()) {
    text += text_element(edge, frame.top - 13, "plot-label", Anchor::start,
                         shortened(label, frame.width - 2 * edge, text_px));
  }
  return text;
}

std::string spans(const Chart& chart, const Frame& frame) {
  std::string text;
  for (const auto& span : chart.spans) {
    if (!frame.x.shows(span.to)) {
      continue;
    }
    const double from = std::clamp(frame.x.shows(span.from) ? frame.at_x(span.from) : frame.left,
                                   frame.left, frame.right);
    const double to = std::clamp(frame.at_x(span.to), frame.left, frame.right);
    text += with_title(
        fmt::format(R"(<rect class="plot-span" x="{}" y="{}" width="{}" height="{}")", px(from),
                    px(frame.top), px(std::max(to - from, 1.0)), px(frame.bottom - frame.top)),
        span.label);
  }
  return text;
}

/// The ends of the part of y = at x that is inside, in the order of x; nothing outside.
std::string diagonal(const Reference& reference, const Frame& frame, double& end_x, double& end_y) {
  constexpr int samples = 200;
  std::string d;
  for (int i = 0; i <= samples; ++i) {
    const double share = static_cast<double>(i) / samples;
    const bool log = frame.x.shows(1) && !frame.x.shows(-1);
    const double x = log ? frame.x.low() * std::pow(frame.x.high() / frame.x.low(), share)
                         : frame.x.low() + share * (frame.x.high() - frame.x.low());
    const double y = reference.at * x;
    if (frame.y.shows(y) && y >= frame.y.low() && y <= frame.y.high()) {
      end_x = frame.at_x(x);
      end_y = frame.at_y(y);
      d += fmt::format("{}{} {}", d.empty() ? "M" : "L", px(end_x), px(end_y));
    }
  }
  return d;
}

/// Lines first, their labels after the data: a label must not be covered.
struct References {
  std::string lines;
  std::string labels;
};

References references(const Chart& chart, const Frame& frame) {
  References result;
  double label_y = frame.top + 14;
  const auto halo = [](double x, double y, Anchor anchor, const std::string& text) {
    return text.empty()
               ? ""
               : text_element(x, y, "plot-tick plot-halo", anchor, shortened(text, 320, small_px));
  };
  for (const auto& reference : chart.references) {
    if (reference.direction == Direction::diagonal) {
      double x = 0;
      double y = 0;
      if (const auto d = diagonal(reference, frame, x, y); !d.empty()) {
        result.lines += path_element(d, "plot-reference");
        result.labels += halo(x - 8, std::max(y + 4, frame.top + 12), Anchor::end, reference.label);
      }
    } else if (reference.direction == Direction::vertical && frame.x.shows(reference.at)) {
      const double x = frame.at_x(reference.at);
      const bool right = x > (frame.left + frame.right) / 2;
      result.lines += line_element(x, frame.top, x, frame.bottom, "plot-reference");
      result.labels += halo(right ? x - 6 : x + 6, label_y, right ? Anchor::end : Anchor::start,
                            reference.label);
      label_y += 17;
    } else if (reference.direction == Direction::horizontal && frame.y.shows(reference.at)) {
      const double y = frame.at_y(reference.at);
      result.lines += line_element(frame.left, y, frame.right, y, "plot-reference");
      result.labels += stands_outside(reference)
                           ? halo(frame.right + 5, y + 4, Anchor::start, reference.label)
                           : halo(frame.right - 4, y - 5, Anchor::end, reference.label);
    }
  }
  return result;
}

std::string annotations(const Chart& chart, const Frame& frame) {
  std::string text;
  for (const auto& note : chart.annotations) {
    if (frame.x.shows(note.x) && frame.y.shows(note.y)) {
      const double x = frame.at_x(note.x);
      const bool right = x > (frame.left + frame.right) / 2;
      text +=
          text_element(right ? x - 8 : x + 8, frame.at_y(note.y) - 8, "plot-tick plot-halo",
                       right ? Anchor::end : Anchor::start, shortened(note.text, 280, small_px));
    }
  }
  return text;
}

/// Bands are under all others, then faint series, lines and bars, and points on top.
int layer_of(const Series& series) {
  const bool marked =
      series.kind == Series::Kind::points || series.kind == Series::Kind::line_points;
  return series.kind == Series::Kind::band ? 0 : series.faint ? 1 : marked ? 3 : 2;
}

std::string body(const Chart& chart, const Frame& frame) {
  const auto lines = references(chart, frame);
  std::string text = fmt::format("<rect class=\"plot-ground\" width=\"{}\" height=\"{}\"/>\n",
                                 px(frame.width), px(frame.height));
  text += header(chart, frame) + spans(chart, frame) + y_axis(chart, frame) + x_axis(chart, frame);
  for (const int layer : {0, 1, 2, 3}) {
    text += layer == 3 ? lines.lines : "";
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      text += layer_of(chart.series[i]) == layer ? series_elements(chart, i, frame) : "";
    }
  }
  text += lines.labels + annotations(chart, frame);
  for (const auto& note : frame.notes) {
    text += text_element(edge, note.y, "plot-note", Anchor::start, note.text);
  }
  return text;
}

std::string style_of(Theme theme) {
  switch (theme) {
    case Theme::light:
      return "<style>" + rules(Colors::light) + "</style>\n";
    case Theme::automatic:
      return "<style>" + rules(Colors::light) + "@media(prefers-color-scheme:dark){" +
             rules(Colors::dark) + "}</style>\n";
    case Theme::page:
      break;
  }
  return "";
}

std::string spoken(const Chart& chart) {
  return fmt::format("{}. {}. {} against {}.", chart.title, chart.subtitle, axis_text(chart.y),
                     axis_text(chart.x));
}

}  // namespace

std::string svg(const std::vector<Chart>& charts, const SvgOptions& options) {
  if (charts.empty()) {
    throw Error("no chart to draw");
  }
  std::string content;
  std::string label;
  double height = 0;
  double width = 0;
  for (const auto& chart : charts) {
    if (!has_values(chart)) {
      throw Error(fmt::format("{}: no value can be drawn", clean(chart.title)));
    }
    const auto frame = frame_of(chart, options);
    content +=
        fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n", px(height), body(chart, frame));
    height += frame.height;
    width = frame.width;
    label += (label.empty() ? "" : " ") + spoken(chart);
  }
  return fmt::format(
             "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
             "width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"{2}\">\n",
             px(width), px(height), escaped(label)) +
         style_of(options.theme) + content + "</svg>\n";
}

std::string svg(const Chart& chart, const SvgOptions& options) {
  return svg(std::vector<Chart>{chart}, options);
}

}  // namespace epochcast::plot
