// What CPUs and GPUs did over the time of each run: by the run itself, and by others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/core/text.hpp"
#include "src/telemetry/disturbance.hpp"

namespace epochcast::analysis::plots {
namespace {

using Kind = plot::Series::Kind;

/// The value holds from the start of a sample to its end; NaN: a gap.
template <class Row, class Ask>
plot::Series over_time(const std::string& name, const std::vector<const Row*>& rows, Ask ask) {
  plot::Series series{.name = name, .kind = Kind::steps};
  for (const auto* row : rows) {
    series.points.push_back({.x = row->end_s - row->duration_s, .y = ask(*row)});
  }
  if (!rows.empty()) {
    series.points.push_back({.x = rows.back()->end_s, .y = series.points.back().y});
  }
  return series;
}

/// Percent of the time of `cpus` CPUs.
double cpu_percent(double busy_s, double duration_s, std::int64_t cpus) {
  return duration_s > 0 && cpus > 0 ? 100 * busy_s / (duration_s * static_cast<double>(cpus))
                                    : record::not_measured;
}

/// The samples of rank 0. One that is shorter than a quarter of the one before it, as the last of a
/// run may be, is joined to that one: CPU time is counted in steps of 10 ms, and a share of a few
/// milliseconds can be any number.
std::vector<record::Telemetry> samples_of_first_rank(const record::Record& record) {
  std::vector<record::Telemetry> samples;
  for (const auto& row : record.telemetry) {
    if (row.rank != 0) {
      continue;
    }
    if (samples.empty() || row.duration_s >= samples.back().duration_s / 4) {
      samples.push_back(row);
      continue;
    }
    auto& last = samples.back();
    last.end_s = row.end_s;
    last.duration_s += row.duration_s;
    last.cpus_busy_s += row.cpus_busy_s;
    last.own_cpu_s += row.own_cpu_s;
    last.node_busy_s += row.node_busy_s;
  }
  return samples;
}

/// Epochs that others disturbed are shaded.
void add_disturbance(plot::Chart& chart, const record::Record& record) {
  const auto found = telemetry::find_disturbance(record.usage);
  if (!found) {
    return;
  }
  for (const auto& usage : record.usage) {
    if (std::ranges::find(found->epochs, usage.epoch) != found->epochs.end()) {
      chart.spans.push_back(
          {.from = usage.start_s, .to = usage.start_s + usage.duration_s, .label = found->text});
    }
  }
  chart.notes.push_back("shaded: disturbed epochs: " + found->text);
}

plot::Chart base_of(const LoadedRecord& loaded, const std::string& name, const std::string& of) {
  const auto point = loaded.record.header.point.str();
  return {.name = name,
          .title = of + " during " + (point.empty() ? loaded.path : point),
          .subtitle = {},
          .x = {.label = "time since the start of the run", .unit = "s", .from_zero = true},
          .y = {.label = "use", .unit = "%", .from_zero = true}};
}

plot::Chart cpu_chart(const LoadedRecord& loaded) {
  const auto& record = loaded.record;
  auto chart = base_of(loaded, "activity_cpu", "CPU activity");
  const auto samples = samples_of_first_rank(record);
  std::vector<const record::Telemetry*> rows;
  for (const auto& sample : samples) {
    rows.push_back(&sample);
  }
  if (rows.empty()) {
    chart.notes.push_back("no telemetry");
    return chart;
  }
  chart.series = {over_time("all programs on the allocated CPUs", rows,
                            [](const auto& row) {
                              return cpu_percent(row.cpus_busy_s, row.duration_s, row.cpus);
                            }),
                  over_time("this run", rows,
                            [](const auto& row) {
                              return cpu_percent(row.own_cpu_s, row.duration_s, row.cpus);
                            }),
                  over_time("all CPUs of the node", rows, [](const auto& row) {
                    return cpu_percent(row.node_busy_s, row.duration_s, row.node_cpus);
                  })};
  chart.series[0].look = 1;
  chart.series[1].look = 0;
  chart.series[2].look = 6;
  chart.subtitle =
      joined({fmt::format("{} on {}; rank 0 of {}; {}; n = {}", record.header.allocation.str(),
                          device_of(record), ranks_of(record),
                          counted(static_cast<std::size_t>(rows.front()->cpus), "CPU"),
                          counted(rows.size(), "sample")),
              source_words({loaded})});
  add_disturbance(chart, record);
  return chart;
}

/// Empty without GPUs.
std::optional<plot::Chart> gpu_chart(const LoadedRecord& loaded) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const record::GpuTelemetry*>> gpus;
  for (const auto& row : loaded.record.telemetry_gpus) {
    gpus[{row.rank, row.gpu}].push_back(&row);
  }
  if (gpus.empty()) {
    return std::nullopt;
  }
  auto chart = base_of(loaded, "activity_gpu", "GPU activity");
  std::size_t samples = 0;
  int look = 0;
  for (const auto& [key, rows] : gpus) {
    const auto name =
        gpus.size() == 1 ? "" : fmt::format("rank {}, GPU {}: ", key.first, key.second);
    auto use = over_time(name + "kernels run", rows, [](const auto& row) { return 100 * row.use; });
    auto memory = over_time(name + "memory is read or written", rows,
                            [](const auto& row) { return 100 * row.memory_use; });
    use.look = memory.look = look++;
    memory.dashed = true;
    chart.series.push_back(std::move(use));
    chart.series.push_back(std::move(memory));
    samples += rows.size();
  }
  chart.subtitle = joined({fmt::format("{}; share of the time; n = {}", device_of(loaded.record),
                                       counted(samples, "sample")),
                           source_words({loaded})});
  add_disturbance(chart, loaded.record);
  return chart;
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records, const PlotOptions&) {
  return charts_of_first_runs(
      records, "telemetry", [](const record::Record& record) { return !record.telemetry.empty(); },
      [](const LoadedRecord& loaded) {
        std::vector<plot::Chart> charts{cpu_chart(loaded)};
        if (auto gpu = gpu_chart(loaded)) {
          charts.push_back(std::move(*gpu));
        }
        return charts;
      });
}

}  // namespace

PlotSpec activity() {
  return {.summary = "use of CPUs and GPUs over the time of each run; disturbed epochs are shaded",
          .needs = "records with telemetry",
          .make = make,
          .rows = record::Rows::all,
          .keeps_disturbed = true};
}

}  // namespace epochcast::analysis::plots
