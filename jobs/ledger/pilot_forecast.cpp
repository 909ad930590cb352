#include "jobs/ledger/pilot_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/past_forecasts.hpp"
#include "src/forecast/run/reference_records.hpp"
#include "src/forecast/run/series_from_record.hpp"

namespace epochcast::jobs {
namespace {

/// The forecast adjusted by earlier ones; unchanged if the ledger cannot be read, because the limit
/// must not depend on that.
forecast::Forecast adjusted(const forecast::Forecast& forecast, ledger::LedgerRow& row) {
  try {
    return ledger::adjusted_by_user_ledger(forecast);
  } catch (const Error& error) {
    row.remark += fmt::format("{}earlier forecasts were not used: {}",
                              row.remark.empty() ? "" : "; ", error.what());
    return forecast;
  }
}

/// The forecast from relatives that agree; std::nullopt if there are none.
std::optional<forecast::Forecast> forecast_by_relatives(
    const record::Record& pilot, std::int64_t epochs, const KnownRuns& known,
    const std::variant<forecast::Forecast, forecast::Refusal>& without) {
  if (known.records.empty()) {
    return std::nullopt;
  }
  const auto relatives = forecast::reference_runs_among(
      forecast::reference_records({"", pilot}, known.records, known.may_differ));
  const auto* alone = std::get_if<forecast::Forecast>(&without);
  const auto answer =
      forecast::forecast_from_records(pilot, {.epochs = epochs}, relatives,
                                      alone == nullptr ? std::nullopt : std::optional(*alone));
  const auto* found = std::get_if<forecast::FromReferenceRuns>(&answer);
  return found != nullptr && found->agree ? std::optional(found->forecast) : std::nullopt;
}

}  // namespace

PilotForecast forecast_from_pilot(const record::Record& pilot, std::int64_t epochs,
                                  const KnownRuns& known) {
  ledger::LedgerRow row;
  row.epochs = epochs;
  row.naive_s =
      forecast::naive_total_s(pilot, static_cast<double>(epochs)).value_or(ledger::not_known);
  std::variant<forecast::Forecast, forecast::Refusal> answer = forecast::forecast_of(pilot, epochs);
  if (auto found = forecast_by_relatives(pilot, epochs, known, answer)) {
    row.remark = join(found->reasons, "; ");
    answer = std::move(*found);
  }
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    row.remark = refusal->reason;
    return {row, ledger::not_known};
  }
  const auto found = forecast::for_another_run(std::get<forecast::Forecast>(answer));
  ledger::set_forecast(row, found.total_s);
  row.low_80_s = std::max(0.0, row.low_80_s);
  row.low_95_s = std::max(0.0, row.low_95_s);
  row.classification = found.classification;
  const double high_s = adjusted(found, row).total_s.interval_95.high;
  return {row, high_s};
}

}  // namespace epochcast::jobs
