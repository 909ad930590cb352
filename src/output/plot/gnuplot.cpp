#include "src/output/plot/gnuplot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/core/text.hpp"
#include "src/output/plot/frame.hpp"
#include "src/output/plot/theme.hpp"
#include "src/output/plot/words.hpp"

namespace epochcast::plot {
namespace {

using Kind = Series::Kind;
using Direction = Reference::Direction;

/// With each `mark` twice: labels of marks are formats of printf.
std::string doubled(const std::string& text, char mark) {
  std::string result;
  for (const char c : text) {
    result += std::string(c == mark ? 2 : 1, c);
  }
  return result;
}

/// Quotes a text. gnuplot interprets nothing between single quotes, but takes ''' at the start of
/// one for an empty text with a quote after it. A text that holds a quote stands between double
/// ones, with the characters that mean something there as octal numbers.
std::string gnuplot_quoted(const std::string& text) {
  const auto clean = printable(text);
  if (clean.find('\'') == std::string::npos) {
    return "'" + clean + "'";
  }
  std::string word = "\"";
  for (const char c : clean) {
    const bool special = c == '"' || c == '`' || c == '\\';
    word += special ? fmt::format("\\{:03o}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return word + "\"";
}

std::string quoted(const std::string& text, double width_px) {
  return gnuplot_quoted(shortened(text, width_px, text_px));
}

/// How far to the right of its category a series of bars stands, and how wide it is.
struct Slot {
  double shift = 0;
  double width = 0.8;
};

Slot slot_of(const Chart& chart, std::size_t place) {
  std::size_t before = 0;
  std::size_t all = 0;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const bool bars = chart.series[i].kind == Kind::bars;
    before += bars && i < place ? 1 : 0;
    all += bars ? 1 : 0;
  }
  if (chart.series[place].kind != Kind::bars) {
    return {};
  }
  const double width = 0.8 / static_cast<double>(all);
  return {(static_cast<double>(before) - (static_cast<double>(all) - 1) / 2) * width, width};
}

/// x, y, low, high a line; an empty line is a gap.
std::string data_of(const Chart& chart, std::size_t place) {
  const auto slot = slot_of(chart, place);
  std::string text;
  for (const auto& point : chart.series[place].points) {
    const double low = point.low.value_or(point.y);
    const double high = point.high.value_or(point.y);
    if (!can_show(chart.x, point.x) || !can_show(chart.y, point.y)) {
      text += "\n";
      continue;
    }
    text += fmt::format("{} {} {} {}\n", format_shortest(point.x + slot.shift),
                        format_shortest(point.y),
                        format_shortest(can_show(chart.y, low) ? low : point.y),
                        format_shortest(can_show(chart.y, high) ? high : point.y));
  }
  return text;
}

bool has_intervals(const Series& series) {
  return std::ranges::any_of(series.points,
                             [](const Point& point) { return point.low && point.high; });
}

std::string color_of(const Series& series, std::size_t place) {
  return fmt::format("linecolor rgb '{}'", light_color(look_of(series, place).color));
}

/// The parts of `plot` that draw one series from its data block.
std::vector<std::string> curves_of(const Series& series, std::size_t place,
                                   const std::string& block) {
  const auto color = color_of(series, place);
  const auto title =
      series.listed && !series.name.empty() ? "title " + quoted(series.name, 340) : "notitle";
  const auto dash = series.dashed ? " dashtype 2" : "";
  const auto shape = look_of(series, place).marker;
  std::vector<std::string> curves;
  switch (series.kind) {
    case Kind::band:
      return {fmt::format("{} using 1:3:4 with filledcurves fillstyle transparent solid 0.2 {} {}",
                          block, color, title)};
    case Kind::bars:
      curves.push_back(
          fmt::format("{} using 1:2 with boxes fillstyle solid {} {}", block, color, title));
      break;
    case Kind::steps:
    case Kind::line:
      curves.push_back(fmt::format("{} using 1:2 with {} linewidth 2{} {} {}", block,
                                   series.kind == Kind::line ? "lines" : "steps", dash, color,
                                   title));
      break;
    case Kind::line_points:
    case Kind::points:
      curves.push_back(fmt::format("{} using 1:2 with {} linewidth 2{} pointtype {} {} {}", block,
                                   series.kind == Kind::points ? "points" : "linespoints", dash,
                                   5 + 2 * (shape % 5), color, title));
      break;
  }
  if (series.kind == Kind::bars && series.values) {
    curves.push_back(block + " using 1:4:(sprintf('%.4g', $2)) with labels offset 0,0.7 notitle");
  }
  if (has_intervals(series)) {
    curves.push_back(fmt::format("{} using 1:3:(0):($4-$3) with vectors nohead {} notitle", block,
                                 series.kind == Kind::bars ? "linecolor 'black'" : color));
  }
  return curves;
}

std::string reference_of(const Reference& reference) {
  const auto at = format_shortest(reference.at);
  const auto label = quoted(reference.label, 320);
  if (reference.direction == Direction::horizontal) {
    return fmt::format(
        "set arrow from graph 0, first {0} to graph 1, first {0} nohead dashtype 2\n"
        "set label {1} at graph 0.99, first {0} right offset 0,0.5\n",
        at, label);
  }
  if (reference.direction == Direction::vertical) {
    return fmt::format(
        "set arrow from first {0}, graph 0 to first {0}, graph 1 nohead dashtype 2\n"
        "set label {1} at first {0}, graph 0.96 offset 0.5,0\n",
        at, label);
  }
  return "";
}

std::string marks_of(const std::vector<Tick>& ticks) {
  std::vector<std::string> marks;
  for (const auto& tick : ticks) {
    marks.push_back(doubled(quoted(tick.label, 170), '%') + " " + format_shortest(tick.value));
  }
  return join(marks, ", ");
}

std::string axes_of(const Chart& chart, const Frame& frame) {
  std::string text;
  for (const auto& [name, axis] : {std::pair{"x", &chart.x}, std::pair{"y", &chart.y}}) {
    text += fmt::format("set {}label {}\n", name, quoted(axis_text(*axis), 400));
    text += axis->scale == Axis::Scale::log ? fmt::format("set logscale {}\n", name) : "";
  }
  text += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", format_shortest(frame.x.low()),
                      format_shortest(frame.x.high()), format_shortest(frame.y.low()),
                      format_shortest(frame.y.high()));
  return text + fmt::format("set xtics {}({})\nset ytics ({})\n",
                            frame.slanted ? "rotate by -35 " : "", marks_of(frame.x_ticks),
                            marks_of(frame.y_ticks));
}

std::string chart_script(const Chart& chart, const SvgOptions& options, std::size_t number) {
  const auto frame = frame_of(chart, options);
  std::string text =
      fmt::format("reset\nset grid\nset key outside top center horizontal\nset title {}\n",
                  quoted(chart.title, options.width));
  text += axes_of(chart, frame);
  for (const auto& reference : chart.references) {
    text += reference_of(reference);
  }
  std::vector<std::string> curves;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const auto block = fmt::format("$data{}_{}", number, i + 1);
    text += fmt::format("{} << END_OF_DATA\n{}END_OF_DATA\n", block, data_of(chart, i));
    if (chart.series[i].kind == Kind::bars) {
      text += fmt::format("set boxwidth {}\n", format_shortest(slot_of(chart, i).width * 0.92));
    }
    const auto more = curves_of(chart.series[i], i, block);
    curves.insert(curves.end(), more.begin(), more.end());
  }
  for (const auto& reference : chart.references) {
    if (reference.direction == Direction::diagonal) {
      curves.push_back(fmt::format("{} * x with lines dashtype 2 linecolor 'gray' title {}",
                                   format_shortest(reference.at), quoted(reference.label, 320)));
    }
  }
  return text + "plot " + join(curves, ", \\\n  ") + "\n";
}

}  // namespace

std::string gnuplot_script(const std::vector<Chart>& charts, const SvgOptions& options,
                           const std::string& terminal, const std::string& output) {
  const double height = options.height * static_cast<double>(charts.size());
  constexpr double px_per_inch = 96;
  auto text = terminal == "png"
                  ? fmt::format(
                        "set terminal pngcairo noenhanced size {:.0f},{:.0f} fontscale 2 linewidth "
                        "2 pointscale 2\n",
                        2 * options.width, 2 * height)
                  : fmt::format("set terminal pdfcairo noenhanced size {:.3f},{:.3f}\n",
                                options.width / px_per_inch, height / px_per_inch);
  text += "set output " + gnuplot_quoted(output) + "\n";
  text += fmt::format("set multiplot layout {},1\n", charts.size());
  for (std::size_t i = 0; i < charts.size(); ++i) {
    text += chart_script(charts[i], options, i + 1);
  }
  return text + "unset multiplot\nset output\n";
}

}  // namespace epochcast::plot
