#include <cmath>

#include "src/base/core/csv.hpp"
#include "src/base/core/spreadsheet.hpp"
#include "src/base/core/text.hpp"
#include "src/output/plot/frame.hpp"
#include "src/output/plot/svg.hpp"

namespace epochcast::plot {
namespace {

std::string cell(double value) {
  return std::isnan(value) ? "" : format_shortest(value);
}

std::string cell(const std::optional<double>& value) {
  return value ? cell(*value) : "";
}

std::string x_cell(const Axis& axis, double x) {
  if (axis.scale != Axis::Scale::categories) {
    return cell(x);
  }
  const auto place = static_cast<std::size_t>(std::lround(std::max(0.0, x)));
  return place < axis.categories.size() ? axis.categories[place] : "";
}

}  // namespace

std::string csv(const std::vector<Chart>& charts) {
  auto text = csv_line({"chart", "series", "x_axis", "x", "y_axis", "y", "low", "high", "note"});
  for (const auto& chart : charts) {
    const auto x_axis = axis_text(chart.x);
    const auto y_axis = axis_text(chart.y);
    for (const auto& series : chart.series) {
      for (const auto& point : series.points) {
        text += csv_line({chart.name, spreadsheet_text(series.name), spreadsheet_text(x_axis),
                          spreadsheet_text(x_cell(chart.x, point.x)), spreadsheet_text(y_axis),
                          cell(point.y), cell(point.low), cell(point.high),
                          spreadsheet_text(point.note)});
      }
    }
  }
  return text;
}

}  // namespace epochcast::plot
