#include "jobs/ledger/pilot_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/core/clock.hpp"
#include "src/core/error.hpp"
#include "src/forecast/series_from_record.hpp"
#include "src/ledger/past_forecasts.hpp"

namespace epochcast::jobs {
namespace {

/// Stretched by what earlier forecasts were wrong by; as it is where the ledger cannot be read,
/// which must not cost the limit.
forecast::Forecast learnt(const forecast::Forecast& forecast, ledger::LedgerRow& row) {
  try {
    return ledger::learnt_from_ledger(forecast);
  } catch (const Error& error) {
    row.remark = fmt::format("nothing was learned from earlier forecasts: {}", error.what());
    return forecast;
  }
}

}  // namespace

PilotForecast forecast_from_pilot(const record::Record& pilot, std::int64_t epochs) {
  ledger::LedgerRow row;
  row.epochs = epochs;
  row.naive_s = forecast::naive_total_s(pilot, epochs).value_or(ledger::not_known);
  const auto answer = forecast::forecast_of(pilot, epochs);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    row.remark = refusal->reason;
    return {row, ledger::not_known};
  }
  const auto& found = std::get<forecast::Forecast>(answer);
  row.forecast_s = found.total_s;
  row.low_80_s = std::max(0.0, found.interval_80.low_s);
  row.high_80_s = found.interval_80.high_s;
  row.low_95_s = std::max(0.0, found.interval_95.low_s);
  row.high_95_s = found.interval_95.high_s;
  row.classification = found.classification;
  const double high_s = learnt(found, row).interval_95.high_s;
  return {row, high_s};
}

double before_program_s(const record::Record& record) {
  const auto created_at = record.header.created_at.str();
  const auto created_s = seconds_since_1970(created_at);
  for (const auto& row : record.allocation) {
    if (created_s && row.name.view() == "started_at") {
      // scontrol's stamp is of the node's zone too, without saying so.
      constexpr std::size_t offset_at = std::string_view("2026-11-21T09:15:02").size();
      const auto started_s = seconds_since_1970(row.got.str() + created_at.substr(offset_at));
      return started_s ? std::max(0.0, *created_s - *started_s) : 0;
    }
  }
  return 0;
}

double last_time_s(const record::Record& record) {
  double last_s = 0;
  for (const auto& span : record.spans) {
    last_s = std::max(last_s, span.start_s + span.duration_s);
  }
  for (const auto& step : record.iterations) {
    last_s = std::max(last_s, step.start_s + step.wait_s + step.step_s);
  }
  return last_s;
}

}  // namespace epochcast::jobs
