// Latency and throughput of the batches of each stream over the time of its run.
#include <fmt/format.h>

#include <map>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/stream_batches.hpp"
#include "src/core/text.hpp"

namespace epochcast::analysis::plots {
namespace {

using record::StreamBatch;

/// A line for each source through `value` of its batches, each at its start. Batches without a
/// value have no point.
template <class Value>
std::vector<plot::Series> lines_of(const std::vector<StreamBatch>& batches, Value value) {
  std::map<std::string, plot::Series> lines;
  for (const auto& batch : batches) {
    auto& line = lines[batch.source.str()];
    line.kind = plot::Series::Kind::line_points;
    if (const std::optional<double> y = value(batch)) {
      line.points.push_back(
          {.x = batch.start_s,
           .y = *y,
           .note = fmt::format("batch {}, {}", batch.batch_id,
                               counted(static_cast<std::size_t>(batch.batch_size), "item"))});
    }
  }
  std::vector<plot::Series> series;
  for (auto& [source, line] : lines) {
    line.name = lines.size() > 1 ? source : "";
    series.push_back(std::move(line));
  }
  return series;
}

plot::Chart chart_of_stream(const LoadedRecord& loaded, const std::string& name,
                            const std::string& of, const std::string& meaning) {
  const auto point = loaded.record.header.point.str();
  return {.name = name,
          .title = of + " during " + (point.empty() ? loaded.path : point),
          .subtitle = joined(
              {fmt::format("{}; n = {} batches", meaning, loaded.record.stream_batches.size()),
               source_words({loaded})}),
          .x = {.label = "start of the batch since that of the run", .unit = "s"},
          .y = {.label = to_lower(of), .unit = "", .from_zero = true}};
}

std::vector<plot::Chart> charts_of_stream(const LoadedRecord& loaded) {
  const auto& batches = loaded.record.stream_batches;
  auto latency = chart_of_stream(loaded, "stream_latency", "Latency",
                                 "from the release by the producer to the start of the batch");
  latency.y.unit = "s";
  latency.series =
      lines_of(batches, [](const StreamBatch& batch) { return std::optional(latency_s(batch)); });
  auto rate = chart_of_stream(loaded, "stream_throughput", "Throughput",
                              "items of a batch by the time from its start to its end");
  rate.y.unit = "items/s";
  rate.series = lines_of(batches, items_per_s);
  if (batches.empty()) {
    latency.notes.push_back("no batches of a stream");
  }
  return {std::move(latency), std::move(rate)};
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records, const PlotOptions&) {
  return charts_of_first_runs(
      records, "batches of a stream",
      [](const record::Record& record) { return !record.stream_batches.empty(); },
      charts_of_stream);
}

}  // namespace

PlotSpec streaming() {
  return {.summary = "latency and throughput of the batches of each stream over time",
          .needs = "records of a stream",
          .make = make};
}

}  // namespace epochcast::analysis::plots
