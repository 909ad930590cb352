// Duration of a batch and items a second by the size of the batch, with the fitted law.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/plot_parts/chart_parts.hpp"
#include "src/core/text.hpp"

namespace epochcast::analysis::plots {
namespace {

using Kind = plot::Series::Kind;

/// What distinguishes the rows of one line, in both tables.
std::vector<std::string> line_keys(const PlotOptions& options) {
  std::vector<std::string> keys{"task", "model", "allocation", "device", "source"};
  keys.insert(keys.end(), options.by.begin(), options.by.end());
  return keys;
}

/// Rows of one line by batch, and its law where one was fitted.
struct Line {
  std::string name;
  std::vector<const table::Row*> rows;
  std::optional<double> launch_ms;
  std::optional<double> item_ms;
};

/// The values of those keys that differ between lines, or the allocation where there is one line.
/// A device that follows from the allocation is not among them.
std::string name_of(const table::Table& table, const table::Row& row,
                    const std::vector<std::string>& keys) {
  const bool own_device = std::ranges::any_of(table.rows, [&](const table::Row& other) {
    return text_in(table, other, "allocation") == text_in(table, row, "allocation") &&
           text_in(table, other, "device") != text_in(table, row, "device");
  });
  std::vector<std::string> words;
  for (const auto& key : keys) {
    if (key == "device" && !own_device) {
      continue;
    }
    const bool varies = std::ranges::any_of(table.rows, [&](const table::Row& other) {
      return text_in(table, other, key) != text_in(table, row, key);
    });
    words.push_back(varies ? text_in(table, row, key) : "");
  }
  std::erase(words, "");
  return words.empty() ? text_in(table, row, "allocation") : join(words, ", ");
}

std::vector<Line> lines_of(const table::Table& batches, const table::Table* costs,
                           const std::vector<std::string>& keys) {
  const auto key_of = [&](const table::Table& table, const table::Row& row) {
    std::vector<std::string> values;
    for (const auto& key : keys) {
      values.push_back(text_in(table, row, key));
    }
    return values;
  };
  std::vector<std::vector<std::string>> known;
  std::vector<Line> lines;
  for (const auto& row : batches.rows) {
    auto key = key_of(batches, row);
    const auto found = std::ranges::find(known, key);
    if (found == known.end()) {
      lines.push_back({name_of(batches, row, keys), {}, {}, {}});
      known.push_back(std::move(key));
      lines.back().rows.push_back(&row);
    } else {
      lines[static_cast<std::size_t>(found - known.begin())].rows.push_back(&row);
    }
  }
  for (const auto& row : costs == nullptr ? std::vector<table::Row>{} : costs->rows) {
    const auto found = std::ranges::find(known, key_of(*costs, row));
    if (found != known.end()) {
      auto& line = lines[static_cast<std::size_t>(found - known.begin())];
      line.launch_ms = number_in(*costs, row, "launch_ms");
      line.item_ms = number_in(*costs, row, "item_ms");
    }
  }
  return lines;
}

plot::Series measured(const table::Table& table, const Line& line, const std::string& key,
                      int look) {
  plot::Series series{.name = line.name, .kind = Kind::line_points, .look = look};
  const bool has_law = key == "batch_ms" && line.launch_ms && line.item_ms;
  series.kind = has_law ? Kind::points : Kind::line_points;
  for (const auto* row : line.rows) {
    const auto batch = number_in(table, *row, "batch");
    const auto value = number_in(table, *row, key);
    if (!batch || !value) {
      continue;
    }
    plot::Point point{.x = *batch, .y = *value};
    if (key == "batch_ms") {
      point.low = number_in(table, *row, "p50_ms");
      point.high = number_in(table, *row, "p90_ms");
    }
    const auto runs = number_in(table, *row, "runs").value_or(0);
    point.note =
        joined({counted(static_cast<std::size_t>(runs), "run"), text_in(table, *row, "remark")});
    series.points.push_back(std::move(point));
  }
  return series;
}

/// T(b) = launch + b item over the measured sizes.
plot::Series law_of(const Line& line, const plot::Series& points, int look) {
  plot::Series law{
      .name = fmt::format("{:.3g} ms + batch × {:.3g} ms", *line.launch_ms, *line.item_ms),
      .kind = Kind::line,
      .look = look,
      .dashed = true};
  constexpr int pieces = 48;  // of a line that is not straight on logarithmic axes
  const double low = points.points.front().x;
  const double ratio = points.points.back().x / low;
  for (int i = 0; i <= pieces; ++i) {
    const double batch = low * std::pow(ratio, static_cast<double>(i) / pieces);
    law.points.push_back({.x = batch, .y = *line.launch_ms + batch * *line.item_ms});
  }
  return law;
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records,
                              const PlotOptions& options) {
  const auto tables = tables_of("batch_sweep", records, options);
  const auto& batches = tables.front();
  const auto lines = lines_of(batches, find_table(tables, "batch_cost"), line_keys(options));
  const plot::Axis batch{.label = "batch", .unit = "items", .scale = plot::Axis::Scale::log};
  plot::Chart time{
      .name = "batch",
      .title = "Duration of a batch by its size",
      .subtitle = {},
      .x = batch,
      .y = {.label = "duration of a batch", .unit = "ms", .scale = plot::Axis::Scale::log}};
  plot::Chart rate{.name = "batch_rate",
                   .title = "Items a second by the size of the batch",
                   .subtitle = {},
                   .x = batch,
                   .y = {.label = "items", .unit = "1/s", .scale = plot::Axis::Scale::log}};
  std::vector<double> sizes;
  double runs = 0;
  int look = 0;
  for (const auto& line : lines) {
    auto points = measured(batches, line, "batch_ms", look);
    const bool has_law = points.kind == Kind::points && points.points.size() > 1;
    auto law = has_law ? law_of(line, points, look) : plot::Series{};
    time.series.push_back(std::move(points));
    if (has_law) {
      time.series.push_back(std::move(law));
    }
    rate.series.push_back(measured(batches, line, "items_per_s", look++));
  }
  for (const auto& row : batches.rows) {
    sizes.push_back(number_in(batches, row, "batch").value_or(0));
    runs += number_in(batches, row, "runs").value_or(0);
    if (const auto remark = text_in(batches, row, "remark"); !remark.empty()) {
      time.notes.push_back(fmt::format(
          "{}, batch {:g}: {}", name_of(batches, row, line_keys(options)), sizes.back(), remark));
    }
  }
  time.x.marks = rate.x.marks = distinct(sizes);
  const auto count = fmt::format("n = {}", counted(static_cast<std::size_t>(runs), "run"));
  time.subtitle =
      joined({"mean of the steady batches, bar: their median to the 90th percentile; " + count,
              source_words(records)});
  rate.subtitle = joined({count, source_words(records)});
  for (const auto& note : excluded_notes(tables)) {
    rate.notes.push_back(note);
  }
  return {std::move(time), std::move(rate)};
}

}  // namespace

PlotSpec batch() {
  return {.summary = "duration of a batch and items a second by batch size, with the fitted law",
          .needs = "runs with several batch sizes",
          .make = make,
          .rows = record::Rows::all};
}

}  // namespace epochcast::analysis::plots
