// What CPUs and GPUs did over the time of each run: by the run itself, and by others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/telemetry/disturbance.hpp"

namespace epochcast::analysis::plots {
namespace activity_plot {

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

/// Adds a sample, or joins it to the one before if it is shorter than a quarter of that, as the
/// last of a run may be: CPU time is counted in steps of 10 ms, and a share of a few milliseconds
/// can be any number. `sums` are the fields that add up.
template <class Row, class Sums>
void add_sample(std::vector<Row>& samples, Row row, Sums sums) {
  if (samples.empty() || row.duration_s >= samples.back().duration_s / 4) {
    samples.push_back(row);
    return;
  }
  auto& last = samples.back();
  last.end_s = row.end_s;
  last.duration_s += row.duration_s;
  const auto to = sums(last);
  const auto from = sums(row);
  for (std::size_t i = 0; i < to.size(); ++i) {
    *to[i] += *from[i];
  }
}

std::vector<record::Telemetry> samples_of_first_rank(const record::Record& record) {
  std::vector<record::Telemetry> samples;
  for (const auto& row : record.telemetry) {
    if (row.rank == 0) {
      add_sample(samples, row, [](auto& last) {
        return std::array{&last.cpus_busy_s, &last.own_cpu_s, &last.node_busy_s};
      });
    }
  }
  return samples;
}

template <class Row>
std::vector<const Row*> pointers(const std::vector<Row>& rows) {
  return mapped(rows, [](const auto& row) { return &row; });
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
          .x = {.label = "time since the start of the run", .unit = "s", .from_zero = true},
          .y = {.label = "use", .unit = "%", .from_zero = true}};
}

plot::Chart cpu_chart(const LoadedRecord& loaded) {
  const auto& record = loaded.record;
  auto chart = base_of(loaded, "activity_cpu", "CPU activity");
  const auto samples = samples_of_first_rank(record);
  const auto rows = pointers(samples);
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

/// The share of each allocated CPU that was busy; std::nullopt of one CPU, which cpu_chart shows.
/// Of more than eight, lines of one colour without a legend: the pointer names them.
std::optional<plot::Chart> cores_chart(const LoadedRecord& loaded) {
  constexpr std::size_t most_named = 8;
  std::map<std::int64_t, std::vector<record::CpuTelemetry>> cpus;
  for (const auto& row : loaded.record.telemetry_cpus) {
    if (row.rank == 0) {
      add_sample(cpus[row.cpu], row, [](auto& last) { return std::array{&last.busy_s}; });
    }
  }
  if (cpus.size() < 2) {
    return std::nullopt;
  }
  auto chart = base_of(loaded, "activity_cores", "Activity of each CPU");
  for (const auto& [cpu, samples] : cpus) {
    auto line = over_time(fmt::format("CPU {}", cpu), pointers(samples), [](const auto& row) {
      return cpu_percent(row.busy_s, row.duration_s, 1);
    });
    if (cpus.size() > most_named) {
      line.listed = false;
      line.faint = true;
      line.look = 0;
    }
    chart.series.push_back(std::move(line));
  }
  chart.subtitle =
      joined({fmt::format("all programs on the allocated CPUs {} to {}; {}", cpus.begin()->first,
                          cpus.rbegin()->first, counted(cpus.size(), "CPU")),
              source_words({loaded})});
  return chart;
}

using Gpus = std::map<std::pair<std::int64_t, std::int64_t>,
                      std::vector<const record::GpuTelemetry*>>;  ///< By rank and GPU.

Gpus gpus_in(const record::Record& record) {
  Gpus gpus;
  for (const auto& row : record.telemetry_gpus) {
    gpus[{row.rank, row.gpu}].push_back(&row);
  }
  return gpus;
}

/// "rank 0, GPU 1", "" where there is one GPU.
std::string gpu_name(const Gpus& gpus, const Gpus::value_type& gpu) {
  return gpus.size() == 1 ? "" : fmt::format("rank {}, GPU {}", gpu.first.first, gpu.first.second);
}

plot::Chart gpu_base(const LoadedRecord& loaded, const std::string& name, const std::string& of) {
  auto chart = base_of(loaded, name, of);
  chart.subtitle = joined({fmt::format("{}; n = {}", device_of(loaded.record),
                                       counted(loaded.record.telemetry_gpus.size(), "sample")),
                           source_words({loaded})});
  add_disturbance(chart, loaded.record);
  return chart;
}

plot::Chart gpu_chart(const LoadedRecord& loaded) {
  auto chart = gpu_base(loaded, "activity_gpu", "GPU activity");
  const auto gpus = gpus_in(loaded.record);
  int look = 0;
  for (const auto& gpu : gpus) {
    const auto of = gpu_name(gpus, gpu);
    auto use = over_time(of.empty() ? "kernels run" : of + ": kernels run", gpu.second,
                         [](const auto& row) { return 100 * row.use; });
    auto memory = over_time(of.empty() ? "memory is read or written" : of + ": memory is used",
                            gpu.second, [](const auto& row) { return 100 * row.memory_use; });
    use.look = memory.look = look++;
    memory.dashed = true;
    chart.series.push_back(std::move(use));
    chart.series.push_back(std::move(memory));
  }
  return chart;
}

/// What else the driver reports of a GPU at each sample.
struct GpuQuantity {
  const char* name;
  const char* title;
  const char* label;
  const char* unit;
  double record::GpuTelemetry::*value;
  double scale;
};
constexpr std::array gpu_quantities{
    GpuQuantity{"gpu_memory", "GPU memory", "memory in use, by all processes", "GiB",
                &record::GpuTelemetry::memory_bytes, 1.0 / gibibyte},
    GpuQuantity{"gpu_power", "GPU power", "power", "W", &record::GpuTelemetry::power_w, 1},
    GpuQuantity{"gpu_temperature", "GPU temperature", "temperature", "°C",
                &record::GpuTelemetry::temperature_c, 1}};

plot::Chart quantity_chart(const LoadedRecord& loaded, const GpuQuantity& quantity) {
  auto chart = gpu_base(loaded, quantity.name, quantity.title);
  chart.y = {.label = quantity.label, .unit = quantity.unit, .from_zero = true};
  const auto gpus = gpus_in(loaded.record);
  for (const auto& gpu : gpus) {
    chart.series.push_back(over_time(gpu_name(gpus, gpu), gpu.second, [&](const auto& row) {
      return quantity.scale * row.*quantity.value;
    }));
  }
  return chart;
}

/// What the record has: CPUs and GPUs, and `in_full` also single CPUs, and memory, power and
/// temperature of GPUs.
std::vector<plot::Chart> charts_of_run(const LoadedRecord& loaded, bool in_full) {
  std::vector<plot::Chart> charts{cpu_chart(loaded)};
  if (auto cores = cores_chart(loaded); cores && in_full) {
    charts.push_back(std::move(*cores));
  }
  if (loaded.record.telemetry_gpus.empty()) {
    return charts;
  }
  charts.push_back(gpu_chart(loaded));
  for (const auto& quantity : gpu_quantities) {
    if (auto chart = quantity_chart(loaded, quantity); in_full && plot::has_values(chart)) {
      charts.push_back(std::move(chart));
    }
  }
  return charts;
}

bool has_telemetry(const record::Record& record) {
  return !record.telemetry.empty();
}

std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records, const PlotOptions&) {
  const bool one = std::ranges::count_if(records, has_telemetry, &LoadedRecord::record) == 1;
  auto charts =
      charts_of_first_runs(records, "telemetry", has_telemetry,
                           [&](const LoadedRecord& loaded) { return charts_of_run(loaded, one); });
  if (!one && plot::has_values(charts.front())) {
    charts.back().notes.emplace_back(
        "of one run alone (--filter point=NAME), also each CPU, and memory, power and temperature "
        "of the GPUs");
  }
  return charts;
}

}  // namespace activity_plot

PlotSpec activity() {
  return {.summary =
              "use of CPUs and GPUs over the time of each run, with memory, power and "
              "temperature of GPUs; disturbed epochs are shaded",
          .needs = "records with telemetry",
          .make = activity_plot::make,
          .rows = record::Rows::all,
          .keeps_disturbed = true,
          .detail = true};
}

}  // namespace epochcast::analysis::plots
