// The cells of a table of steps, throughputs or peaks of memory that are empty, from the other rows
// of the same workload.
#include <algorithm>
#include <map>

#include "analysis/predict/predict.hpp"
#include "src/base/core/csv_file.hpp"
#include "src/base/core/error.hpp"
#include "src/forecast/memory/memory_law.hpp"
#include "src/forecast/scaling/scaling.hpp"
#include "src/forecast/scaling/step_surface.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis {
namespace {

using forecast::Prediction;
using Asked = std::vector<std::optional<Prediction>>;  ///< Nothing: refused.

/// One row: its setting, by column, and what was measured; 0: that is asked for.
struct FillRow {
  std::size_t row;
  std::map<std::string, double> setting;
  double value = 0;

  double at(std::string_view column) const { return setting.at(std::string(column)); }
};

forecast::StepSetting step_setting(const FillRow& row) {
  forecast::StepSetting setting;
  for (const auto& dimension : forecast::dimensions) {
    setting.*dimension.value = row.at(dimension.key);
  }
  return setting;
}

Asked fill_steps(const std::vector<FillRow>& given, const std::vector<FillRow>& asked) {
  std::vector<forecast::SettingTime> times;
  for (const auto& row : given) {
    times.push_back({step_setting(row), row.value});
  }
  const auto fitted = forecast::StepSurface::fit(std::move(times));
  const auto* surface = std::get_if<forecast::StepSurface>(&fitted);
  Asked found(asked.size());
  for (std::size_t i = 0; i < asked.size() && surface != nullptr; ++i) {
    const auto answer = surface->forecast(step_setting(asked[i]));
    if (const auto* step = std::get_if<forecast::SurfaceForecast>(&answer)) {
      found[i] = step->step_s;
    }
  }
  return found;
}

Asked fill_throughputs(const std::vector<FillRow>& given, const std::vector<FillRow>& asked) {
  std::vector<forecast::ScalingPoint> points;
  for (const auto& row : given) {
    points.push_back({row.at("workers"), row.value, row.at("nodes")});
  }
  Asked found(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto answer = forecast::scaling_forecast(
        points, {.workers = asked[i].at("workers"), .nodes = asked[i].at("nodes")});
    if (const auto* scaling = std::get_if<forecast::ScalingForecast>(&answer)) {
      found[i] = scaling->throughput;
    }
  }
  return found;
}

Asked fill_peaks(const std::vector<FillRow>& given, const std::vector<FillRow>& asked) {
  const auto setting = [](const FillRow& row) {
    return memory::MemorySetting{row.at("batch"), row.at("length"), row.at("parameters"),
                                 row.at("activations")};
  };
  std::vector<memory::SettingPeak> peaks;
  for (const auto& row : given) {
    peaks.push_back({setting(row), row.value});
  }
  const auto fitted = memory::MemoryLaw::fit(std::move(peaks));
  const auto* law = std::get_if<memory::MemoryLaw>(&fitted);
  Asked found(asked.size());
  for (std::size_t i = 0; i < asked.size() && law != nullptr; ++i) {
    const auto answer = law->forecast(setting(asked[i]));
    if (const auto* bytes = std::get_if<Prediction>(&answer)) {
      found[i] = *bytes;
    }
  }
  return found;
}

/// What a table can lack.
struct Filling {
  std::string column;
  std::string unit;
  int decimals;
  std::vector<std::string> setting;
  Asked (*fill)(const std::vector<FillRow>& given, const std::vector<FillRow>& asked);
};

std::vector<std::string> step_columns() {
  std::vector<std::string> columns;
  for (const auto& dimension : forecast::dimensions) {
    columns.emplace_back(dimension.key);
  }
  return columns;
}

const Filling& filling_of(const CsvFile& file) {
  static const std::vector<Filling> all{
      {"step_s", "s", 4, step_columns(), fill_steps},
      {"throughput", "", 1, {"workers", "nodes"}, fill_throughputs},
      {"peak_bytes", "B", 0, {"batch", "length", "parameters", "activations"}, fill_peaks}};
  const auto found =
      std::ranges::find_if(all, [&](const Filling& one) { return file.has(one.column); });
  if (found == all.end()) {
    throw Error(file.path() + ": no column step_s, throughput or peak_bytes");
  }
  return *found;
}

/// A row that cannot be used is left out. A column of the setting that is missing or empty is 1.
std::optional<FillRow> row_of(const CsvFile& file, std::size_t row, const Filling& filling,
                              ExcludedRows& excluded) {
  FillRow found{row, {}};
  for (const auto& column : filling.setting) {
    const auto number =
        file.text(row, column).empty() ? std::optional(1.0) : positive(file, row, column, excluded);
    if (!number) {
      return std::nullopt;
    }
    found.setting[column] = *number;
  }
  if (!file.text(row, filling.column).empty()) {
    const auto value = positive(file, row, filling.column, excluded);
    if (!value) {
      return std::nullopt;
    }
    found.value = *value;
  }
  return found;
}

struct FilledRow {
  const CsvFile* file;
  std::size_t row;
  std::optional<Prediction> found;
};

table::Table filled(const CsvFile& file, std::size_t& forecasts) {
  const auto& filling = filling_of(file);
  ExcludedRows excluded;
  std::map<std::string, std::pair<std::vector<FillRow>, std::vector<FillRow>>> workloads;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    if (auto one = row_of(file, row, filling, excluded)) {
      auto& [given, asked] = workloads[file.text(row, "workload")];
      (one->value > 0 ? given : asked).push_back(*std::move(one));
    }
  }
  std::map<std::size_t, std::optional<Prediction>> answers;  // by row
  for (const auto& [workload, rows] : workloads) {
    const auto& [given, asked] = rows;
    const auto found = filling.fill(given, asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      answers[asked[i].row] = found[i];
      forecasts += found[i] ? 1 : 0;
    }
  }
  std::vector<FilledRow> rows;
  for (const auto& [row, found] : answers) {
    rows.push_back({&file, row, found});
  }
  table::Columns<FilledRow> columns{
      {"workload", "workload", [](auto& row) { return row.file->text(row.row, "workload"); }}};
  for (const auto& name : filling.setting) {
    if (file.has(name)) {
      columns.add({name, name, [=](auto& row) { return row.file->text(row.row, name); }});
    }
  }
  const auto add = [&](const std::string& key, const std::string& heading, auto value) {
    columns.add({key, heading, filling.unit, filling.decimals, [=](const FilledRow& row) {
                   return row.found ? std::optional(value(*row.found)) : std::nullopt;
                 }});
  };
  add("forecast", filling.column, [](const Prediction& one) { return one.value; });
  add("low_80", "80% from", [](const Prediction& one) { return one.interval_80.low; });
  add("high_80", "to", [](const Prediction& one) { return one.interval_80.high; });
  add("low_95", "95% from", [](const Prediction& one) { return one.interval_95.low; });
  add("high_95", "to", [](const Prediction& one) { return one.interval_95.high; });
  auto table = table::make_table("filled", "What " + file.path() + " lacks", columns, rows);
  if (const auto note = excluded.note()) {
    table.notes.push_back(*note);
  }
  return table;
}

}  // namespace

Answers predict_fill(const std::vector<std::string>& paths) {
  Answers answers;
  for (const auto& path : paths) {
    answers.tables.push_back(filled(CsvFile::read(path), answers.forecasts));
  }
  return answers;
}

}  // namespace epochcast::analysis
