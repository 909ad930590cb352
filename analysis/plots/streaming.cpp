// Latency and throughput of the batches of a stream over the time of its run; of several models, by
// the size of the batch.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/plot_parts/run_kinds.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/stream_batches.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::plots {
namespace streaming_plot {

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

/// What the streams of several records had at each size of a batch, or if all sizes are equal at
/// each number of a batch.
class Comparison {
 public:
  Comparison(const std::vector<LoadedRecord>& records, const RunKinds& kinds)
      : records_(records), kinds_(kinds), by_size_(sizes_differ()) {}

  template <class Value>
  plot::Chart chart(const std::string& name, const std::string& of, const std::string& unit,
                    Value value) const {
    plot::Chart chart{
        .name = name,
        .title = of + " of streams by the " + (by_size_ ? "size" : "number") + " of the batch",
        .x = {.label = by_size_ ? "items of the batch" : "batch", .whole = true},
        .y = {.label = to_lower(of), .unit = unit, .from_zero = true}};
    std::size_t batches = 0;
    for (std::size_t kind = 0; kind < kinds_.names.size(); ++kind) {
      plot::Series line{.name = kinds_.names[kind],
                        .kind = plot::Series::Kind::line_points,
                        .look = static_cast<int>(kind)};
      for (const auto& [x, values] : values_of(kind, value)) {
        line.points.push_back(repeats_point(x, values));
        batches += values.size();
      }
      if (!line.points.empty()) {
        chart.series.push_back(std::move(line));
      }
    }
    chart.subtitle =
        joined({fmt::format("median and range; n = {} batches", batches), source_words(records_)});
    return chart;
  }

 private:
  bool sizes_differ() const {
    std::vector<double> sizes;
    for (const auto& loaded : records_) {
      for (const auto& batch : loaded.record.stream_batches) {
        sizes.push_back(static_cast<double>(batch.batch_size));
      }
    }
    return distinct(sizes).size() > 1;
  }

  template <class Value>
  std::map<double, std::vector<double>> values_of(std::size_t kind, Value value) const {
    std::map<double, std::vector<double>> values;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (kinds_.kind[i] != kind) {
        continue;
      }
      for (const auto& batch : records_[i].record.stream_batches) {
        if (const std::optional<double> y = value(batch)) {
          values[static_cast<double>(by_size_ ? batch.batch_size : batch.batch_id)].push_back(*y);
        }
      }
    }
    return values;
  }

  const std::vector<LoadedRecord>& records_;
  const RunKinds& kinds_;
  bool by_size_;
};

bool has_batches(const record::Record& record) {
  return !record.stream_batches.empty();
}

/// One stream over its time; of several kinds, such as models, a line for each.
std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records,
                              const PlotOptions& options) {
  std::vector<LoadedRecord> streams;
  std::ranges::copy_if(records, std::back_inserter(streams), has_batches, &LoadedRecord::record);
  const auto kinds = kinds_of_runs(streams, options.by);
  if (kinds.names.size() < 2) {
    return charts_of_first_runs(records, "batches of a stream", has_batches, charts_of_stream);
  }
  const Comparison comparison(streams, kinds);
  return {
      comparison.chart("stream_latency", "Latency", "s",
                       [](const StreamBatch& batch) { return std::optional(latency_s(batch)); }),
      comparison.chart("stream_throughput", "Throughput", "items/s", items_per_s)};
}

}  // namespace streaming_plot

PlotSpec streaming() {
  return {.summary =
              "latency and throughput of the batches of a stream over its time; of several "
              "models, by the size of the batch",
          .needs = "records of a stream",
          .make = streaming_plot::make};
}

}  // namespace epochcast::analysis::plots
