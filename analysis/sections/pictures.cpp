// The pictures of the results, two charts of each at most, with their data as tables; folded, the
// pictures of single runs and of forecasts. One that the records do not allow is named, with the
// reason.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/plot_parts/plot_spec.hpp"
#include "analysis/report/section_spec.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/output/html/escape.hpp"
#include "src/output/html/page.hpp"
#include "src/output/plot/svg.hpp"
#include "src/output/table/html_table.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis::sections {
namespace pictures_section {

constexpr std::size_t most_rows = 200;
constexpr std::size_t most_charts = 2;         ///< Of one picture.
constexpr std::size_t most_folded_charts = 6;  ///< Of one that is folded.
/// Two stand beside each other on a wide page, and a phone hardly shrinks one.
constexpr plot::SvgOptions size{.width = 640, .height = 430, .theme = plot::Theme::page};

struct Picture {
  std::vector<plot::Chart> charts;
  std::string fault;  ///< Why there are none.
};

/// Whether the values differ along both axes. Bars, and places with names, need differ in nothing.
bool varies(const plot::Chart& chart) {
  const bool named = chart.x.scale == plot::Axis::Scale::categories;
  std::set<double> x;
  std::set<double> y;
  for (const auto& series : chart.series) {
    for (const auto& point : series.points) {
      x.insert(point.x);
      y.insert(std::isfinite(point.y) ? point.y : 0);
    }
  }
  return named || (x.size() > 1 && y.size() > 1);
}

Picture make_picture(const PlotSpec& spec, const ReportInput& input) {
  if (spec.of_files && input.ledgers.empty()) {
    return {{}, "needs " + spec.needs};
  }
  if (!spec.of_files && spec.rows == record::Rows::all && !input.without_steps.empty()) {
    return {{}, "needs the steps of the runs; " + input.without_steps};
  }
  try {
    std::vector<std::string> why_not;
    auto charts = drawable(
        spec.of_files ? spec.of_files(input.ledgers) : charts_of(spec, input.records, {}), why_not);
    if (charts.empty()) {
      return {{},
              fmt::format("needs {}{}", spec.needs,
                          why_not.empty() ? "" : " (" + join(why_not, "; ") + ")")};
    }
    std::erase_if(charts, [](const plot::Chart& chart) { return !varies(chart); });
    if (charts.empty()) {
      return {{}, "all values are at one place of an axis: a table shows them as well"};
    }
    return {std::move(charts), ""};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

/// A point of a chart and the series that it is of.
struct PointRow {
  std::string series;
  plot::Point point;
};

/// Six digits: a picture shows no more.
table::Cell rounded(double value) {
  return std::isfinite(value) ? table::Cell(std::stod(fmt::format("{:.6g}", value)))
                              : table::Cell();
}

table::RowColumn<PointRow> axis_column(const std::string& key, const plot::Axis& axis,
                                       double plot::Point::*at) {
  const auto heading = axis.label.empty() ? key : axis.label;
  if (axis.scale != plot::Axis::Scale::categories) {
    return {key, heading, axis.unit, table::shortest_exact,
            [at](const auto& row) { return rounded(row.point.*at); }};
  }
  return {key, heading, [at, names = axis.categories](const auto& row) {
            const auto place = static_cast<std::size_t>(std::max(0.0, row.point.*at));
            return place < names.size() ? table::Cell(names[place]) : table::Cell();
          }};
}

table::Table data_of(const plot::Chart& chart) {
  std::vector<PointRow> rows;
  for (const auto& series : chart.series) {
    for (const auto& point : series.points) {
      rows.push_back({series.name, point});
    }
  }
  const auto end = [&](const std::string& key, const std::string& heading,
                       std::optional<double> plot::Point::*at) {
    return table::RowColumn<PointRow>{
        key, heading, chart.y.unit, table::shortest_exact, [at](const auto& row) {
          return row.point.*at ? rounded(*(row.point.*at)) : table::Cell();
        }};
  };
  const table::Columns<PointRow> columns{
      {"series", "series", &PointRow::series},
      axis_column("x", chart.x, &plot::Point::x),
      axis_column("y", chart.y, &plot::Point::y),
      end("low", "from", &plot::Point::low),
      end("high", "to", &plot::Point::high),
      {"note", "note", [](const auto& row) { return row.point.note; }}};
  return table::make_table("data", "Data: " + chart.title, columns, rows);
}

/// In HTML the name space is known; without it the page holds no address at all.
std::string inner_svg(const plot::Chart& chart) {
  constexpr std::string_view name_space = " xmlns=\"http://www.w3.org/2000/svg\"";
  auto text = plot::svg(chart, size);
  if (const auto at = text.find(name_space); at != std::string::npos) {
    text.erase(at, name_space.size());
  }
  return text;
}

std::string chart_html(const plot::Chart& chart, const std::string& id) {
  return fmt::format(
             "<figure class=\"picture\" id=\"{0}\">\n<div class=\"picture-box\" tabindex=\"0\" "
             "data-keys=\"arrows\" role=\"group\" aria-describedby=\"{0}-value\" "
             "aria-label=\"Picture: {1}\">\n{2}</div>\n<p class=\"value\" id=\"{0}-value\" "
             "aria-live=\"polite\">Point at a value, or choose one with the arrow keys.</p>\n"
             "</figure>\n",
             id, html::escaped(chart.title), inner_svg(chart)) +
         html::details("Data of this picture",
                       table::html_table(table::without_empty_columns(data_of(chart)), id + "-data",
                                         most_rows));
}

std::string picture_html(const std::string& name, const Picture& picture, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < picture.charts.size() && i < most; ++i) {
    text += html::element(
        "div", "\n" + chart_html(picture.charts[i], fmt::format("pictures-{}-{}", name, i + 1)));
  }
  return text;
}

/// "2 of 5 charts of batch": where there are more.
std::string more_of(const std::string& name, const Picture& picture, std::size_t most) {
  return picture.charts.size() > most
             ? fmt::format("{} of {} charts of '{}'", most, picture.charts.size(), name)
             : "";
}

std::string in_columns(const std::string& charts) {
  return html::element("div", "\n" + charts, "class=\"pictures\"");
}

std::string folded(const std::string& name, const PlotSpec& spec, const Picture& picture) {
  const auto more = more_of(name, picture, most_folded_charts);
  return html::details(
      name + ": " + spec.summary,
      in_columns(picture_html(name, picture, most_folded_charts)) +
          (more.empty() ? "" : html::paragraph(more + "; 'epochcast-analyze plot' draws all.")));
}

std::string make(const ReportInput& input) {
  std::string open;
  std::string details;
  std::string missing;
  std::vector<std::string> more;
  for (const auto& [name, spec] : plots::all()) {
    const auto picture = make_picture(spec, input);
    if (!picture.fault.empty()) {
      missing += fmt::format("<li><strong>{}</strong> ({}): {}</li>\n", html::escaped(name),
                             html::escaped(spec.summary), html::escaped(picture.fault));
    } else if (spec.detail) {
      details += folded(name, spec, picture);
    } else {
      open += picture_html(name, picture, most_charts);
      more.push_back(more_of(name, picture, most_charts));
    }
  }
  std::erase(more, "");
  auto text = open.empty() ? "" : in_columns(open);
  if (!more.empty()) {
    text += html::paragraph(
        fmt::format("{}; 'epochcast-analyze plot NAME' draws all.", join(more, ", ")));
  }
  if (!details.empty()) {
    text += html::element("h3", "Pictures of single runs and of forecasts") + details;
  }
  if (!missing.empty()) {
    text += html::details("Pictures that these records do not allow",
                          html::element("ul", "\n" + missing));
  }
  return text;
}

}  // namespace pictures_section

SectionSpec pictures() {
  return {.place = 20, .heading = "Pictures", .make = pictures_section::make};
}

}  // namespace epochcast::analysis::sections
