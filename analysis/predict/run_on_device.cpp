#include "analysis/predict/run_on_device.hpp"

#include <fmt/format.h>

#include "analysis/predict/prediction_cells.hpp"
#include "src/forecast/ledger/past_forecasts.hpp"
#include "src/forecast/run/series_from_record.hpp"

namespace epochcast::analysis {
namespace {

table::Table run_times_table(const OnDeviceQuestion& question, const std::string& length) {
  const auto time = [](const std::string& key, const std::string& heading) {
    return table::number_column(key + "_s", heading, "s", 1);
  };
  return {.name = "run",
          .title = fmt::format("A run of {} on {}", length, question.to->label),
          .columns =
              with_intervals({table::text_column("what", "what"), time("here", question.from->name),
                              time("there", question.to->name)})};
}

}  // namespace

RunHere run_here(const forecast::Forecast& forecast) {
  return {.total_s = forecast.total_s, .fixed_s = part_s(forecast, forecast::PartKind::before)};
}

forecast::Prediction run_on_device(const RunHere& here, const OnDevice& on_device) {
  const auto steps_s = on_device.time(here.total_s.value - here.fixed_s);
  const double scale = (steps_s.value + here.fixed_s) / here.total_s.value;
  const auto error_here_s = (here.total_s + -here.total_s.value) * scale;
  return forecast::sum_of_independent({steps_s, with_host_uncertainty(here.fixed_s), error_here_s});
}

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

}  // namespace epochcast::analysis
