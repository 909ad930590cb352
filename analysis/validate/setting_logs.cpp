#include "analysis/validate/setting_logs.hpp"

#include "src/base/core/text.hpp"

namespace epochcast::analysis {
namespace {

using forecast::StepSetting;

/// Of Gavel's simulation_throughputs: "LM (batch size 5)" is LM with that batch on each GPU. Its
/// rate counts the steps of all GPUs.
void add_gavel_row(const CsvFile& file, std::size_t row, SettingLogs& workloads,
                   ExcludedRows& excluded) {
  constexpr std::string_view mark = " (batch size ";
  const auto& job = file.text(row, "job");
  const auto at = job.find(mark);
  const auto batch =
      at == std::string::npos || !job.ends_with(')')
          ? std::nullopt
          : parse_double(job.substr(at + mark.size(), job.size() - at - mark.size() - 1));
  if (!batch) {
    excluded.add(file.place(row), "job: found '" + job + "', expected 'NAME (batch size N)'");
    return;
  }
  const auto workers = positive(file, row, "scale_factor", excluded);
  const auto rate = workers ? positive(file, row, "steps_per_s", excluded) : std::nullopt;
  if (rate) {
    workloads[file.text(row, "device") + " " + job.substr(0, at)].push_back(
        {{.batch = *batch, .workers = *workers}, *workers / *rate});
  }
}

/// A dimension whose column is missing or empty counts as 1.
void add_row(const CsvFile& file, std::size_t row, SettingLogs& workloads, ExcludedRows& excluded) {
  const auto step_s = positive(file, row, "step_s", excluded);
  StepSetting setting;
  for (const auto& dimension : forecast::dimensions) {
    const std::string column(dimension.key);
    if (!file.text(row, column).empty()) {
      const auto number = step_s ? positive(file, row, column, excluded) : std::nullopt;
      if (!number) {
        return;
      }
      setting.*dimension.value = *number;
    }
  }
  if (step_s) {
    workloads[file.text(row, "device") + " " + file.text(row, "workload")].push_back(
        {setting, *step_s});
  }
}

}  // namespace

SettingLogs setting_logs(const CsvFile& file, ExcludedRows& excluded) {
  const bool gavel = !file.has("workload") && file.has("scale_factor");
  gavel ? file.require({"job", "steps_per_s"}) : file.require({"workload", "step_s"});
  SettingLogs workloads;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    gavel ? add_gavel_row(file, row, workloads, excluded) : add_row(file, row, workloads, excluded);
  }
  return workloads;
}

}  // namespace epochcast::analysis
