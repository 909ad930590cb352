#include <fmt/format.h>

#include "analysis/predict/other_device.hpp"
#include "analysis/predict/predict.hpp"
#include "analysis/predict/prediction_cells.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/forecast/ledger/past_forecasts.hpp"
#include "src/forecast/run/series_from_record.hpp"

namespace epochcast::analysis {
namespace {

table::Table run_times_table(const OnDeviceQuestion& question, const std::string& length) {
  return {.name = "run",
          .title = fmt::format("A run of {} on {}", length, question.to->label),
          .columns = with_intervals({table::text_column("what", "what"),
                                     seconds_column("here", question.from->name),
                                     seconds_column("there", question.to->name)})};
}

/// The run of `length` here and there; without a row where it is refused, with the reason as
/// a note.
table::Table run_table(const OnDeviceQuestion& question, const OnDevice& on_device,
                       const forecast::RunLength& length) {
  auto table = run_times_table(question, to_text(length));
  const auto answer = forecast::forecast_of(*question.record, length);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    table.notes.push_back("refused: " + refusal->reason);
    return table;
  }
  if (const auto why = on_device.refusal()) {
    table.notes.push_back("refused: " + *why);
    return table;
  }
  const auto here = ledger::adjusted_by_user_ledger(std::get<forecast::Forecast>(answer));
  const auto there_s = run_on_device(run_here(here), on_device);
  table.rows.push_back(
      with_intervals({to_text(length), here.total_s.value, there_s.value}, there_s));
  table.notes = here.reasons;
  table.notes.push_back(fmt::format(
      "{:.1f} s before the first step stay as they are, {:.0f} % more or less; all else goes with "
      "the steps",
      run_here(here).fixed_s, 100 * host_uncertainty));
  return table;
}

}  // namespace

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
