#include <fmt/format.h>

#include "analysis/predict/other_device.hpp"
#include "analysis/predict/predict.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"

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
  if (unfit.size() == records.size()) {
    throw Error(unfit.front().second);
  }
  for (const auto& [path, reason] : unfit) {
    cli::report(fmt::format("skipped: {}: {}", path, reason));
  }
  return answers;
}

}  // namespace epochcast::analysis
