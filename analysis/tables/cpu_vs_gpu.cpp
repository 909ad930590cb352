// How many times as fast a GPU is as a CPU, by model, batch and task, and what the device
// forecaster would have said; of CPU allocations among each other where there is no GPU.
#include "analysis/groups/excluded_runs.hpp"
#include "analysis/predict/device_comparison.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis::tables {
namespace {

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

table::Column signed_percent(std::string key, std::string heading) {
  auto column = table::number_column(std::move(key), std::move(heading), "%", 1);
  column.always_sign = true;
  return column;
}

std::vector<table::Column> work_columns(const std::vector<std::string>& by) {
  return table::columns_by(
      table::text_column("task", "task"), by,
      {table::text_column("model", "model"), table::number_column("batch", "batch", "", 0),
       table::text_column("source", "source"), table::text_column("first", "first"),
       table::text_column("second", "second")});
}

table::Row work_cells(const DeviceComparison& comparison, const Compared& one) {
  const auto& settings = comparison.grid().settings;
  const auto& work = *one.work;
  return table::row_by(
      work.task, work.by,
      {work.name, table::cell_of(parse_double(record::parameter(work.example(), "batch"))),
       work.source, settings[one.pair.first].label, settings[one.pair.second].label});
}

/// "not measured on t4", "out of memory on t4", of both where both are missing; "different
/// libraries: LibTorch 2.7.1 and 2.11.0".
std::string remark(const DeviceComparison& comparison, const Compared& one) {
  std::vector<std::string> parts;
  for (const auto& [time, setting] :
       {std::pair(&one.first, one.pair.first), std::pair(&one.second, one.pair.second)}) {
    if (time->out_of_memory || !time->measured()) {
      parts.push_back((time->out_of_memory ? "out of memory on " : "not measured on ") +
                      comparison.grid().settings[setting].label);
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

table::Table times_table(const DeviceComparison& comparison, const std::vector<Compared>& all,
                         const std::vector<std::string>& by) {
  table::Table table{.name = "cpu_vs_gpu",
                     .title = "Speed ratio of the second allocation to the first",
                     .columns = work_columns(by)};
  const std::vector<table::Column> rest{
      table::number_column("first_s", "first takes", "s", 4),
      table::number_column("second_s", "second takes", "s", 4),
      table::number_column("first_items_per_s", "first items", "1/s", 3),
      table::number_column("second_items_per_s", "second items", "1/s", 3),
      table::number_column("ratio", "ratio", ": 1", 2),
      table::number_column("low_95_ratio", "95% from", "", 2),
      table::number_column("high_95_ratio", "to", "", 2),
      table::number_column("forecast_ratio", "forecast", ": 1", 2),
      signed_percent("error_percent", "error"),
      table::text_column("remark", "remark")};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  for (const auto& one : all) {
    auto& row = table.rows.emplace_back(work_cells(comparison, one));
    row.insert(
        row.end(),
        {table::cell_of(one.first.total_s()), table::cell_of(one.second.total_s()),
         table::cell_of(one.first.samples_per_s()), table::cell_of(one.second.samples_per_s()),
         one.ratio ? table::Cell(one.ratio->value) : table::Cell(),
         one.ratio ? table::cell_of(one.ratio->low_95) : table::Cell(),
         one.ratio ? table::cell_of(one.ratio->high_95) : table::Cell(),
         one.forecast ? table::Cell(one.forecast->value) : table::Cell(),
         table::cell_of(one.error_percent()), remark(comparison, one)});
  }
  table.notes.emplace_back(
      "takes: the whole run, as the table lab counts it, the median of several; if a run was "
      "stopped early, only items per second after the warm-up, and the ratio is of steps");
  if (all.empty()) {
    table::add_note(table, "no rows: a ratio needs runs of one model on two allocations");
  }
  add_remarks(table, all);
  return table;
}

table::Table forecasts_table(const DeviceComparison& comparison, const std::vector<Compared>& all,
                             const std::vector<std::string>& by) {
  table::Table table{
      .name = "forecast", .title = "Forecast of the ratio", .columns = work_columns(by)};
  const std::vector<table::Column> rest{
      table::number_column("forecast_ratio", "forecast", ": 1", 2),
      table::number_column("low_80_ratio", "80% from", "", 2),
      table::number_column("high_80_ratio", "to", "", 2), table::text_column("tier", "tier"),
      table::text_column("basis", "basis")};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  for (const auto& one : all) {
    auto& row = table.rows.emplace_back(work_cells(comparison, one));
    if (const auto& forecast = one.forecast) {
      row.insert(row.end(), {forecast->value, table::cell_of(forecast->low_80),
                             table::cell_of(forecast->high_80), forecast->tier, forecast->basis});
    } else {
      row.insert(row.end(),
                 {table::Cell(), table::Cell(), table::Cell(), "none", one.why_no_forecast});
    }
  }
  return table;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  for (const auto& name : options.by) {
    require_attribute(records, name);
  }
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
  return not_empty({times_table(comparison, all, options.by),
                    forecasts_table(comparison, all, options.by), excluded_table(excluded)});
}

}  // namespace

TableSpec cpu_vs_gpu() {
  return {.summary = "time on each device by model, batch and task; the ratio, and as forecast",
          .make = make,
          .answer = {8}};
}

}  // namespace epochcast::analysis::tables
