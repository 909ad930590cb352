// How many times as fast a GPU is as a CPU, by model, batch and task, and what the device
// forecaster would have said; of CPU allocations among each other where there is no GPU.
#include "analysis/groups/undisturbed.hpp"
#include "analysis/predict/device_comparison.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis::tables {
namespace cpu_vs_gpu_table {

/// Repeats are of one work.
record::ParameterNames free_parameters(const record::Record& /*record*/) {
  return record::names_of({run::ParameterRole::repeat});
}

/// The forecast ratio of the second setting to the first, with its interval.
struct ForecastRatio {
  double value = 0;
  std::optional<double> low_80;
  std::optional<double> high_80;
  std::string tier;
  std::string basis;
};

/// A work and two settings of which at least one has tried it.
struct Compared {
  const WorkloadKey* work;
  SettingPair pair;
  SettingTime first;
  SettingTime second;
  std::optional<TimeRatio> ratio = {};
  std::optional<ForecastRatio> forecast = {};
  std::string why_no_forecast = {};

  std::optional<double> error_percent() const {
    return forecast && ratio ? std::optional(100 * (forecast->value / ratio->value - 1))
                             : std::nullopt;
  }
};

void add_forecast(Compared& one, const std::optional<OnDevice>& on_device) {
  if (!on_device) {
    one.why_no_forecast = "not measured on the first";
  } else if (on_device->flagged) {
    one.why_no_forecast = "the device is not the bottleneck: " + *on_device->flagged;
  } else if (const auto* none = std::get_if<device::NoRatio>(&on_device->answer)) {
    one.why_no_forecast = none->reason;
  } else {
    const auto& answer = std::get<device::TierRatio>(on_device->answer);
    const auto time = on_device->time(1);
    auto& forecast = one.forecast.emplace();
    forecast.value = 1 / time.value;
    forecast.low_80 = 1 / time.interval_80.high;
    if (time.interval_80.low >
        0) {  // else, for all that is known, the second takes hardly any time
      forecast.high_80 = 1 / time.interval_80.low;
    }
    forecast.tier = answer.tier;
    forecast.basis = answer.ratio.basis;
  }
}

std::vector<Compared> compared_of(const DeviceComparison& comparison) {
  const auto tried = [](const SettingTime& time) { return time.measured() || time.out_of_memory; };
  std::vector<Compared> all;
  for (const auto& work : comparison.grid().works) {
    for (const auto& pair : pairs_of(comparison.grid().settings)) {
      Compared one{&work, pair, comparison.time(work, pair.first),
                   comparison.time(work, pair.second)};
      if (tried(one.first) || tried(one.second)) {
        one.ratio = comparison.ratio(work, pair);
        add_forecast(one, comparison.forecast(work, pair));
        all.push_back(std::move(one));
      }
    }
  }
  return all;
}

/// "not measured on t4", "out of memory on t4", of both where both are missing; "different
/// libraries: LibTorch 2.7.1 and 2.11.0".
std::string remark(const std::vector<Configuration>& settings, const Compared& one) {
  std::vector<std::string> parts;
  for (const auto& [time, setting] :
       {std::pair(&one.first, one.pair.first), std::pair(&one.second, one.pair.second)}) {
    if (time->out_of_memory || !time->measured()) {
      parts.push_back((time->out_of_memory ? "out of memory on " : "not measured on ") +
                      settings[setting].label);
    }
  }
  const auto& runs = one.work->runs;
  if (parts.empty() && !runs[one.pair.first].empty() && !runs[one.pair.second].empty()) {
    if (const auto libraries =
            different_libraries(*runs[one.pair.first].front(), *runs[one.pair.second].front());
        !libraries.empty()) {
      parts.push_back("different libraries: " + libraries);
    }
  }
  return join(parts, ", ");
}

void add_remarks(table::Table& table, const std::vector<Compared>& all) {
  for (const auto& one : all) {
    for (const auto setting : {one.pair.first, one.pair.second}) {
      for (const auto* run : one.work->runs[setting]) {
        table::add_note(table, run->header.note.str());
      }
    }
  }
}

table::Columns<Compared> work_columns(const std::vector<Configuration>& settings,
                                      const std::vector<std::string>& by) {
  table::Columns<WorkloadKey> work{{"task", "task", &WorkloadKey::task}};
  work.add_each(by, &WorkloadKey::by)
      .add({{"model", "model", &WorkloadKey::name},
            {"batch", "batch", "", 0,
             [](const auto& one) {
               return parse_double(record::parameter(one.example(), "batch"));
             }},
            {"source", "source", &WorkloadKey::source}});
  table::Columns<Compared> columns;
  return columns.add(work, &Compared::work)
      .add(
          {{"first", "first", [&](const auto& one) { return settings[one.pair.first].label; }},
           {"second", "second", [&](const auto& one) { return settings[one.pair.second].label; }}});
}

table::Table times_table(const std::vector<Configuration>& settings,
                         const std::vector<Compared>& all, const std::vector<std::string>& by) {
  const table::Columns<TimeRatio> ratio{{"ratio", "ratio", ": 1", 2, &TimeRatio::value},
                                        {"low_95_ratio", "95% from", "", 2, &TimeRatio::low_95},
                                        {"high_95_ratio", "to", "", 2, &TimeRatio::high_95}};
  auto columns = work_columns(settings, by);
  columns
      .add({{"first_s", "first takes", "s", 4, [](const auto& one) { return one.first.total_s(); }},
            {"second_s", "second takes", "s", 4,
             [](const auto& one) { return one.second.total_s(); }},
            {"first_items_per_s", "first items", "1/s", 3,
             [](const auto& one) { return one.first.samples_per_s(); }},
            {"second_items_per_s", "second items", "1/s", 3,
             [](const auto& one) { return one.second.samples_per_s(); }}})
      .add(ratio, &Compared::ratio)
      .add(table::Columns<ForecastRatio>{{"forecast_ratio", "forecast", ": 1", 2,
                                          &ForecastRatio::value}},
           &Compared::forecast)
      .add({{"error_percent", "error", "%", 1, &Compared::error_percent, table::with_sign},
            {"remark", "remark", [&](const auto& one) { return remark(settings, one); }}});
  auto table = table::make_table("cpu_vs_gpu", "Speed ratio of the second allocation to the first",
                                 columns, all);
  table.notes.emplace_back(
      "takes: the whole run, as the table lab counts it, the median of several; if a run was "
      "stopped early, only items per second after the warm-up, and the ratio is of steps");
  if (all.empty()) {
    table::add_note(table, "no rows: a ratio needs runs of one model on two allocations");
  }
  add_remarks(table, all);
  return table;
}

table::Table forecasts_table(const std::vector<Configuration>& settings,
                             const std::vector<Compared>& all, const std::vector<std::string>& by) {
  const table::Columns<ForecastRatio> ratio{
      {"forecast_ratio", "forecast", ": 1", 2, &ForecastRatio::value},
      {"low_80_ratio", "80% from", "", 2, &ForecastRatio::low_80},
      {"high_80_ratio", "to", "", 2, &ForecastRatio::high_80}};
  auto columns = work_columns(settings, by);
  columns.add(ratio, &Compared::forecast)
      .add({{"tier", "tier",
             [](const auto& one) { return one.forecast ? one.forecast->tier : "none"; }},
            {"basis", "basis", [](const auto& one) {
               return one.forecast ? one.forecast->basis : one.why_no_forecast;
             }}});
  return table::make_table("forecast", "Forecast of the ratio", columns, all);
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  require_attributes(records, options.by);
  std::vector<const LoadedRecord*> usable;
  std::map<const record::Record*, RecordedStep> steps;
  std::vector<ExcludedRun> excluded;
  for (const auto& loaded : records) {
    if (const auto why = fault_of_step(loaded.record); !why.empty()) {
      excluded.push_back({loaded.path, why});
      continue;
    }
    usable.push_back(&loaded);
    if (!ran_out_of_memory(loaded.record)) {
      steps.emplace(&loaded.record, recorded_step(loaded.record).value());
    }
  }
  const auto database = device::read_device_database(device::device_database_folder());
  const DeviceComparison comparison(across_devices(usable, options.by, free_parameters),
                                    std::move(steps), database);
  const auto all = compared_of(comparison);
  const auto& settings = comparison.grid().settings;
  return not_empty({times_table(settings, all, options.by),
                    forecasts_table(settings, all, options.by), excluded_table(excluded)});
}

}  // namespace cpu_vs_gpu_table

TableSpec cpu_vs_gpu() {
  return {.summary = "time on each device by model, batch and task; the ratio, and as forecast",
          .make = cpu_vs_gpu_table::make,
          .answer = {8}};
}

}  // namespace epochcast::analysis::tables
