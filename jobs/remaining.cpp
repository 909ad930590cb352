#include "jobs/remaining.hpp"

#include <algorithm>
#include <ctime>

#include "src/core/clock.hpp"
#include "src/core/text.hpp"
#include "src/forecast/forecast.hpp"
#include "src/record/json_lines.hpp"

namespace epochcast::jobs {
namespace {

/// What the forecast needs of a run that is under way; the steps are those of the first rank.
Series series_of(const Record& record) {
  Series series;
  for (const auto& step : record.iterations) {
    if (step.rank == 0) {
      series.before_s = series.iteration_s.empty() ? step.start_s : series.before_s;
      series.iteration_s.push_back(step.wait_s + step.step_s);
    }
  }
  for (const auto& epoch : record.epochs) {
    series.behind_epoch_s +=
        (epoch.evaluate_s + epoch.checkpoint_s) / static_cast<double>(record.epochs.size());
  }
  series.iterations_per_epoch = record.work.empty() ? 0 : record.work.front().iterations_per_epoch;
  for (const auto& parameter : record.parameters) {
    if (parameter.name == "epochs") {
      series.epochs = parse_integer(parameter.value.view()).value_or(0);
    }
  }
  return series;
}

std::optional<double> forecast_left_s(const Record& record, double elapsed_s) {
  const auto series = series_of(record);
  if (series.epochs < 1 || series.iterations_per_epoch < 1) {
    return std::nullopt;
  }
  const auto answer = forecast(series);
  const auto* found = std::get_if<Forecast>(&answer);
  return found == nullptr ? std::nullopt : std::optional(std::max(0.0, found->total_s - elapsed_s));
}

}  // namespace

Remaining remaining_time(const std::string& record) {
  const auto lines = read_json_lines(json_lines_path(record));
  const auto& header = lines.record.header;
  const auto start = seconds_since_1970(header.created_at.str());
  const auto end = seconds_since_1970(header.finished_at.str())
                       .value_or(static_cast<double>(std::time(nullptr)));
  const double elapsed_s = start ? std::max(0.0, end - *start) : 0;
  return {elapsed_s,
          header.outcome == "running" ? forecast_left_s(lines.record, elapsed_s) : std::nullopt};
}

}  // namespace epochcast::jobs
