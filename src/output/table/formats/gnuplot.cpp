// Plots the first table that has a plot, as a script for gnuplot (5 or later), whose terminals draw
// better than code of our own would. The script contains the data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "src/base/core/error.hpp"
#include "src/base/core/gnuplot_text.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::table::formats {
namespace {

/// The index of the column with the key `key`, by which a Plot refers to it.
std::size_t place_of(const Table& table, const std::string& key) {
  const auto found = std::ranges::find(table.columns, key, &Column::key);
  return static_cast<std::size_t>(found - table.columns.begin());
}

std::string axis_label(const Column& column) {
  return column.unit.empty() ? column.heading : fmt::format("{} ({})", column.heading, column.unit);
}

using Points = std::vector<std::pair<double, double>>;

class Picture {
 public:
  explicit Picture(const Table& table) : table_(table), plot_(*table.plot) {
    for (const auto& key : plot_.lines_by) {
      const auto column = place_of(table_, key);
      const bool varies = std::ranges::any_of(
          table_.rows, [&](const Row& row) { return row[column] != table_.rows.front()[column]; });
      (varies ? varying_ : common_).push_back(column);
    }
    for (const auto& key : plot_.y) {
      add_lines(place_of(table_, key));
    }
  }

  std::string script() const {
    auto text = head();
    std::string curves;
    for (std::size_t line = 0; line < names_.size(); ++line) {
      text += fmt::format("$line{} << END_OF_DATA\n", line + 1);
      auto points = points_.at(names_[line]);
      std::ranges::sort(points);
      for (const auto& [x, y] : points) {
        text += format_shortest(x) + " " + format_shortest(y) + "\n";
      }
      text += "END_OF_DATA\n";
      curves += fmt::format("{}$line{} with linespoints linewidth 2 pointtype 7 title {}",
                            line == 0 ? "" : ", \\\n  ", line + 1, gnuplot_quoted(names_[line]));
    }
    if (plot_.ideal) {
      curves += ", \\\n  x with lines dashtype 2 linecolor 'gray' title 'ideal'";
    }
    return text + "plot " + curves + "\n";
  }

  bool is_empty() const { return names_.empty(); }

 private:
  /// "wide_resnet", "nodes: 2".
  std::string text_of(const Row& row, std::size_t place) const {
    const auto& column = table_.columns[place];
    const auto text = cell_text(row[place], column);
    return column.kind == Column::Kind::number ? column.heading + ": " + text : text;
  }

  /// The text that distinguishes the line of a row from other lines.
  std::string name_of(const Row& row, std::size_t y) const {
    std::vector<std::string> words;
    if (plot_.y.size() > 1 || varying_.empty()) {
      words.push_back(table_.columns[y].heading);
    }
    for (const auto column : varying_) {
      words.push_back(text_of(row, column));
    }
    std::erase(words, "");
    return join(words, ", ");
  }

  /// nullptr if the value is unknown, or if a logarithmic axis cannot show it.
  static const double* shown(const Cell& cell, bool log) {
    const auto* number = std::get_if<double>(&cell);
    const bool fits = number != nullptr && std::isfinite(*number) && (!log || *number > 0);
    return fits ? number : nullptr;
  }

  void add_lines(std::size_t y) {
    const auto x = place_of(table_, plot_.x);
    for (const auto& row : table_.rows) {
      const auto* at = shown(row[x], plot_.log_x);
      const auto* value = shown(row[y], plot_.log_y);
      if (at == nullptr || value == nullptr) {
        continue;
      }
      const auto name = name_of(row, y);
      if (!points_.contains(name)) {
        names_.push_back(name);
      }
      points_[name].emplace_back(*at, *value);
    }
  }

  /// The title includes what is the same in all rows.
  std::string title() const {
    std::vector<std::string> words;
    for (const auto column : common_) {
      words.push_back(text_of(table_.rows.front(), column));
    }
    std::erase(words, "");
    return words.empty() ? table_.title : fmt::format("{} ({})", table_.title, join(words, ", "));
  }

  std::string head() const {
    const auto& x = table_.columns[place_of(table_, plot_.x)];
    const auto& y = table_.columns[place_of(table_, plot_.y.front())];
    const auto y_label = plot_.y.size() == 1 ? axis_label(y) : y.unit;
    std::string text =
        "# For gnuplot: epochcast-analyze table ... --format gnuplot | gnuplot > plot.svg\n"
        "set terminal svg size 900,600 dynamic font 'sans,14' background 'white'\n"
        "set termoption noenhanced\n"
        "set grid\nset key outside right top\n";
    text += fmt::format("set title {}\nset xlabel {}\nset ylabel {}\n", gnuplot_quoted(title()),
                        gnuplot_quoted(axis_label(x)), gnuplot_quoted(y_label));
    text += plot_.log_x ? "set logscale x\n" + range('x', &Points::value_type::first) : "";
    return text + (plot_.log_y ? "set logscale y\n" + range('y', &Points::value_type::second) : "");
  }

  /// gnuplot extends a logarithmic axis to whole powers of ten. This limits it to the data, with a
  /// margin, and marks the values themselves if they are few.
  std::string range(char axis, double Points::value_type::*coordinate) const {
    constexpr double margin = 1.15;
    constexpr std::size_t most_marks = 10;
    std::set<double> values;
    for (const auto& [name, points] : points_) {
      for (const auto& point : points) {
        values.insert(point.*coordinate);
      }
    }
    if (values.empty()) {
      return "";
    }
    auto text =
        fmt::format("set {}range [{}:{}]\n", axis, format_shortest(*values.begin() / margin),
                    format_shortest(*values.rbegin() * margin));
    if (axis == 'x' && values.size() <= most_marks) {
      std::vector<std::string> marks;
      for (const auto value : values) {
        marks.push_back(format_shortest(value));
      }
      text += fmt::format("set xtics ({})\n", join(marks, ", "));
    }
    return text;
  }

  const Table& table_;
  const Plot& plot_;
  std::vector<std::size_t> varying_;  ///< The columns in Plot::lines_by whose values differ.
  std::vector<std::size_t> common_;
  std::vector<std::string> names_;  ///< Names of the lines, in the order of the rows.
  std::map<std::string, Points> points_;
};

std::string write(const std::vector<Table>& tables) {
  for (const auto& table : tables) {
    if (table.plot && !table.rows.empty()) {
      if (const Picture picture(table); !picture.is_empty()) {
        return picture.script();
      }
    }
  }
  throw Error(
      "--format gnuplot: no table here can be drawn; expected a table of a sweep (crossover, "
      "batch_sweep, scaling) with numbers in it");
}

}  // namespace

FormatSpec gnuplot() {
  return {.summary = "a gnuplot script that draws an SVG: ... | gnuplot > plot.svg",
          .suffix = "gnuplot",
          .write = write};
}

}  // namespace epochcast::table::formats
