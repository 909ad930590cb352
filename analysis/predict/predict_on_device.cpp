#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/predict/length_asked.hpp"
#include "analysis/predict/memory_table.hpp"
#include "analysis/predict/other_device.hpp"
#include "analysis/predict/predict.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/forecast/efficiency/job_use.hpp"

namespace epochcast::analysis {
Answers predict_on_device(const std::vector<LoadedRecord>& records,
                          const cli::Arguments& arguments) {
  const OtherDevice other(arguments);
  Answers answers;
  std::vector<std::pair<std::string, std::string>> unfit;  // path and reason
  for (const auto& [path, record] : records) {
    OnDeviceQuestion question;
    try {
      question = other.question(path, record);
    } catch (const Error& error) {
      unfit.emplace_back(path, error.what());
      continue;
    }
    const auto on_device = time_on_device(question);
    auto tables = on_device_tables(question, on_device);
    bool answered = on_device.answered();
    if (arguments.has("epochs") || arguments.has("steps")) {
      auto run = run_table(question, on_device, length_wanted(record, arguments));
      answered = answered && !run.rows.empty();
      tables.insert(tables.begin(), std::move(run));
    }
    answers.forecasts += answered ? 1 : 0;
    for (auto& table : tables) {
      table.title = path + ": " + table.title;
      answers.tables.push_back(std::move(table));
    }
  }
  if (records.size() == 1 && efficiency::peak_memory(records.front().record).gpu_bytes) {
    const SettingRun run{&records.front(), setting_of(records.front().record)};
    const auto device = device_given(other.name());
    std::ranges::move(
        memory_at({.on_gpus = true, .runs = {run}, .left_out = {}}, run.setting, &device).tables,
        std::back_inserter(answers.tables));
  }
  if (unfit.size() == records.size()) {
    throw Error(unfit.front().second);
  }
  for (const auto& [path, reason] : unfit) {
    cli::report(fmt::format("skipped: {}: {}", path, reason));
  }
  return answers;
}

}  // namespace epochcast::analysis
