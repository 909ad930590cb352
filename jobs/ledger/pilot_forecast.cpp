#include "jobs/ledger/pilot_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/past_forecasts.hpp"
#include "src/forecast/run/reference_records.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/record/queries.hpp"

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

PilotForecast refused(std::int64_t epochs, std::string why) {
  ledger::LedgerRow row;
  row.epochs = epochs;
  row.remark = std::move(why);
  return {row, ledger::not_known};
}

/// The pilot without its last epoch, which the arguments of the pilot may have cut short.
record::Record whole_epochs(record::Record record) {
  record.epochs.pop_back();
  const auto rows = static_cast<std::int64_t>(record.epochs.size());
  std::erase_if(record.iterations, [&](const auto& step) { return step.epoch >= rows; });
  return record;
}

}  // namespace

namespace {

PilotForecast forecast_from(const record::Record& pilot, const forecast::RunLength& length,
                            const KnownRuns& known) {
  const auto epochs = length.steps > 0 ? 1 : length.epochs;
  ledger::LedgerRow row;
  row.epochs = epochs;
  row.naive_s =
      length.steps > 0
          ? ledger::not_known
          : forecast::naive_total_s(pilot, static_cast<double>(epochs)).value_or(ledger::not_known);
  auto answer = forecast::forecast_of(pilot, length);
  if (auto found = forecast_by_relatives(pilot, length.epochs, known, answer)) {
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

}  // namespace

PilotForecast forecast_from_pilot(const record::Record& pilot, std::int64_t epochs,
                                  const KnownRuns& known) {
  return forecast_from(
      pilot, {.epochs = epochs, .stops_at_target = forecast::length_of(pilot).stops_at_target},
      known);
}

PilotForecast forecast_of_program(const record::Record& pilot, const ProgramLength& length,
                                  bool has_arguments, const KnownRuns& known) {
  if (length.steps && !pilot.iterations.empty()) {
    return forecast_from(pilot, {.steps = *length.steps}, {});
  }
  if (pilot.epochs.empty() && pilot.iterations.empty()) {
    return refused(
        length.epochs.value_or(0),
        "the pilot showed no epoch and no step; let it run longer ('pilot:'), or say how "
        "the program prints them ('progress:')");
  }
  const auto stated = has_arguments ? 0 : record::epochs_of(pilot);
  const auto epochs = length.epochs.value_or(stated);
  if (epochs <= 0) {
    return refused(0,
                   "the number of epochs is not known; add 'epochs: N' (or 'steps: N') to the "
                   "experiment");
  }
  if (const auto refusal = forecast::one_bar(pilot)) {
    return refused(epochs, refusal->reason);
  }
  if (!has_arguments) {
    return forecast_from_pilot(pilot, epochs, known);
  }
  if (pilot.epochs.size() < 2) {
    return refused(
        epochs,
        "the arguments of 'pilot:' may have cut its only epoch; let it show two epochs, or "
        "add 'steps: N', the steps of the whole run, to the experiment");
  }
  return forecast_from_pilot(whole_epochs(pilot), epochs, known);
}

std::string other_end(const Index& index, const CsvRow& row) {
  for (const auto& [name, none] : {std::pair{"max_iterations", "0"}, {"max_time", "0s"}}) {
    const auto column = index.column(name);
    if (const auto value = column ? row[*column] : ""; !value.empty() && value != none) {
      return fmt::format("its length is set by {}={}, not by its epochs", name, value);
    }
  }
  return "";
}

std::string shown_by(const record::Record& pilot) {
  std::vector<std::string> parts;
  if (!pilot.epochs.empty()) {
    parts.push_back(counted(pilot.epochs.size(), "epoch"));
  }
  const auto rows = forecast::steps_of_rows(record::first_rank(pilot));
  if (const auto steps = std::accumulate(rows.begin(), rows.end(), std::int64_t{0}); steps > 0) {
    parts.push_back(counted(static_cast<std::size_t>(steps), "step"));
  }
  if (!parts.empty()) {
    return join(parts, " and ") + " recorded";
  }
  const auto note = pilot.header.note.str();
  return "no epoch and no step was recorded" + (note.empty() ? "" : ": " + note);
}

}  // namespace epochcast::jobs
