#include "analysis/validate/surface_questions.hpp"

#include <algorithm>
#include <functional>
#include <set>

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

using forecast::SettingTime;
using forecast::StepSetting;

/// With fewer settings than this given, a law is hardly checked.
constexpr std::size_t fewest_given = 3;

void add_question(const std::vector<SettingTime>& times, const SettingTime& asked,
                  const std::function<bool(const StepSetting&)>& left_out,
                  std::vector<SurfaceQuestion>& questions, std::string_view without = {}) {
  SurfaceQuestion question{times, asked, without};
  std::erase_if(question.given, [&](const SettingTime& time) { return left_out(time.setting); });
  if (question.given.size() >= fewest_given) {
    questions.push_back(std::move(question));
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

std::vector<SurfaceQuestion> one_setting(const SettingLogs& logs) {
  std::vector<SurfaceQuestion> questions;
  for (const auto& [name, times] : logs) {
    for (const auto& asked : times) {
      add_question(
          times, asked, [&](const StepSetting& other) { return other == asked.setting; },
          questions);
    }
  }
  return questions;
}

std::vector<SurfaceQuestion> one_value(const SettingLogs& logs) {
  std::vector<SurfaceQuestion> questions;
  for (const auto& [name, times] : logs) {
    for (const auto& dimension : forecast::dimensions) {
      std::set<double> values;
      for (const auto& time : times) {
        values.insert(time.setting.*dimension.value);
      }
      for (const auto& asked : times) {
        if (values.size() > 2) {
          add_question(
              times, asked,
              [&](const StepSetting& other) {
                return other.*dimension.value == asked.setting.*dimension.value;
              },
              questions, dimension.name);
        }
      }
    }
  }
  return questions;
}

std::vector<SurfaceQuestion> all_larger(const SettingLogs& logs) {
  std::vector<SurfaceQuestion> questions;
  for (const auto& [name, times] : logs) {
    StepSetting largest = times.front().setting;
    StepSetting smallest = largest;
    for (const auto& time : times) {
      for (const auto& dimension : forecast::dimensions) {
        const auto value = dimension.value;
        largest.*value = std::max(largest.*value, time.setting.*value);
        smallest.*value = std::min(smallest.*value, time.setting.*value);
      }
    }
    const auto is_as_large = [&](const StepSetting& other) {
      return std::ranges::any_of(forecast::dimensions, [&](const auto& dimension) {
        const auto value = dimension.value;
        return smallest.*value < largest.*value && other.*value == largest.*value;
      });
    };
    const auto asked = std::ranges::find(times, largest, &SettingTime::setting);
    if (asked != times.end()) {
      add_question(times, *asked, is_as_large, questions);
    }
  }
  return questions;
}

}  // namespace epochcast::analysis
