#include "analysis/predict/run_on_device.hpp"

#include <fmt/format.h>

#include <cmath>

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
          .columns = {table::text_column("what", "what"), time("here", question.from->name),
                      time("there", question.to->name), time("low_80", "80% from"),
                      time("high_80", "to"), time("low_95", "95% from"), time("high_95", "to")}};
}

void add_run_row(table::Table& table, const std::string& what, const OnDeviceTime& time) {
  table.rows.push_back({what, time.here_s, time.there_s, time.low_80_s, time.high_80_s,
                        time.low_95_s, time.high_95_s});
}

}  // namespace

RunHere run_here(const forecast::Forecast& forecast) {
  return {.total_s = forecast.total_s,
          .fixed_s = part_s(forecast, forecast::PartKind::before),
          .interval_80 = forecast.interval_80,
          .interval_95 = forecast.interval_95};
}

OnDeviceTime run_on_device(const RunHere& here, const OnDevice& on_device) {
  auto time = on_device.time(here.total_s - here.fixed_s);
  const double steps_s = time.there_s;
  time.here_s = here.total_s;
  time.there_s = steps_s + here.fixed_s;
  const double scale = time.there_s / here.total_s;
  const auto reach = [&](double by_device_s, double here_s) {
    return std::hypot(by_device_s, scale * here_s, host_uncertainty * here.fixed_s);
  };
  const auto low = [&](double low_s, double here_low_s) {
    return std::max(0.0, time.there_s - reach(steps_s - low_s, here.total_s - here_low_s));
  };
  const auto high = [&](double high_s, double here_high_s) {
    return time.there_s + reach(high_s - steps_s, here_high_s - here.total_s);
  };
  time.low_80_s = low(time.low_80_s, here.interval_80.low_s);
  time.high_80_s = high(time.high_80_s, here.interval_80.high_s);
  time.low_95_s = low(time.low_95_s, here.interval_95.low_s);
  time.high_95_s = high(time.high_95_s, here.interval_95.high_s);
  return time;
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
  add_run_row(table, to_text(length), run_on_device(run_here(here), on_device));
  table.notes = here.reasons;
  table.notes.push_back(fmt::format(
      "{:.1f} s before the first step stay as they are, {:.0f} % more or less; all else goes with "
      "the steps",
      run_here(here).fixed_s, 100 * host_uncertainty));
  return table;
}

}  // namespace epochcast::analysis
