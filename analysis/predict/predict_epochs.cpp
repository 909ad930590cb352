#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/predict/length_asked.hpp"
#include "analysis/predict/predict.hpp"
#include "analysis/predict/predict_by_relatives.hpp"
#include "analysis/predict/prediction_columns.hpp"
#include "analysis/predict/schedule_asked.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/varied.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/past_forecasts.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {
namespace {

struct ForecastRow {
  const LoadedRecord* loaded;
  forecast::RunLength length;
  std::optional<forecast::Forecast> found = {};  ///< Nothing: refused.

  const std::string& path() const { return loaded->path; }
  const record::Record& record() const { return loaded->record; }
  std::optional<double> epochs() const {
    return length.epochs > 0 && length.steps == 0 ? std::optional(length.epochs_done())
                                                  : std::nullopt;
  }
  std::optional<double> naive_s() const {
    return epochs() ? forecast::naive_total_s(record(), *epochs()) : std::nullopt;
  }
  const forecast::Prediction* total_s() const { return found ? &found->total_s : nullptr; }
  std::string verdict() const { return found ? found->classification : "refused"; }
};

/// `fraction`: not all lengths are whole epochs.
table::Columns<ForecastRow> forecast_columns(const std::vector<LoadedRecord>& records,
                                             bool fraction) {
  constexpr std::size_t most_varied = 4;
  auto varied = varied_parameters(records);
  varied.resize(std::min(varied.size(), most_varied));
  table::Columns<ForecastRow> columns{{"record", "record", &ForecastRow::path}};
  return columns.add(attribute_columns(varied, records), &ForecastRow::loaded)
      .add({{"device", "device", [](auto& row) { return device_of(row.record()); }},
            {"epochs_seen", "epochs seen", "", 0,
             [](auto& row) { return row.record().epochs.size(); }},
            {"epochs", "of", "", fraction ? 2 : 0, &ForecastRow::epochs}})
      .add(prediction_columns("forecast", "forecast"), &ForecastRow::total_s)
      .add({{"naive_s", "first epoch x N", "s", 1, &ForecastRow::naive_s},
            {"class", "class", &ForecastRow::verdict}});
}

/// Of rows that all have a forecast.
table::Table parts_table(const std::vector<ForecastRow>& rows) {
  using enum forecast::PartKind;
  const auto part = [](forecast::PartKind kind) {
    return [kind](const ForecastRow& row) { return forecast::part_s(*row.found, kind); };
  };
  const table::Columns<ForecastRow> columns{
      {"record", "record", &ForecastRow::path},
      {"before_s", "before", "s", 1, part(before)},
      {"first_step_s", "first step", "s", 1, part(first_step)},
      {"other_steps_s", "other steps", "s", 1, part(other_steps)},
      {"behind_epochs_s", "after epochs", "s", 1, part(after_epochs)},
      {"total_s", "total", "s", 1, [](const ForecastRow& row) { return row.total_s()->value; }}};
  return table::make_table("parts", "Parts of the forecast", columns, rows);
}

/// A run that has ended and did all of `length`: what is over needs no forecast. std::nullopt for
/// any other run.
std::optional<forecast::Forecast> finished_run(const record::Record& record,
                                               const forecast::RunLength& length) {
  const auto own = forecast::length_of(record);
  const bool all = record::outcome_of(record.header) == run::Outcome::complete &&
                   length.epochs_done() == own.epochs_done() && length.steps == own.steps &&
                   own.epochs > 0 && std::ssize(record.epochs) == own.epochs &&
                   record.epochs.front().epoch == 0;
  if (!all) {
    return std::nullopt;
  }
  const auto& first = record.epochs.front();
  double others_s = 0;
  for (const auto& epoch : record.epochs) {
    others_s += &epoch == &first ? 0 : epoch.wall_s;
  }
  const double total_s = record::last_time_s(record);
  using enum forecast::PartKind;
  return forecast::Forecast{
      .total_s = {total_s, {total_s, total_s}, {total_s, total_s}},
      .parts = {{before, first.start_s},
                {first_step, first.wall_s},
                {other_steps, others_s},
                {after_epochs, total_s - first.start_s - first.wall_s - others_s}},
      .classification = "finished",
      .reasons = {}};
}

/// The words in the column `class`, and what they say.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> class_meanings{
    {{"flat", "all take about the same time"},
     {"warm-up", "the first takes longer than the others, which is not extrapolated"},
     {"finished", "the run has ended, and this is the time that it took"}}};

/// Those that occur.
std::string class_note(const std::vector<ForecastRow>& rows) {
  std::vector<std::string> meanings;
  for (const auto& [name, meaning] : class_meanings) {
    if (std::ranges::find(rows, name, &ForecastRow::verdict) != rows.end()) {
      meanings.push_back(fmt::format("{}: {}", name, meaning));
    }
  }
  return meanings.empty() ? "" : "class, of the epochs or steps seen: " + join(meanings, "; ");
}

}  // namespace

Answers predict_epochs(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments) {
  std::vector<ForecastRow> rows;
  bool fraction = false;
  std::vector<std::string> notes;
  RelativesTables by_relatives(arguments);
  for (const auto& loaded : records) {
    const auto& [path, record] = loaded;
    auto [length, refused, converted] = length_asked(record, arguments);
    length.schedules = schedules_asked(arguments);
    length.stops_at_target =
        length.unfinished == 0 &&
        (arguments.has("stops-at-target") || forecast::length_of(record).stops_at_target);
    auto& row = rows.emplace_back(ForecastRow{&loaded, length});
    fraction = fraction || length.unfinished > 0;
    if (!refused.empty() || !length.is_known()) {
      notes.push_back(path + ": refused: " +
                      (refused.empty() ? "the record does not state the run's number of epochs; "
                                         "give --epochs N, --steps N or --samples N"
                                       : refused));
      continue;
    }
    const auto answer = forecast::forecast_of(record, length);
    by_relatives.add(loaded, length, answer);
    if (!converted.empty() || length.steps > 0 || length.samples > 0) {
      notes.push_back(path +
                      ": the whole run: " + (converted.empty() ? to_text(length) : converted));
    }
    row.found = finished_run(record, length);
    if (row.found) {
      continue;
    }
    if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
      const auto note = record.iterations.empty() && record.epochs.empty()
                            ? record.header.note.str()
                            : std::string();
      const bool counts_steps_only = length.epochs > 0 && length.steps == 0 &&
                                     record.epochs.empty() && !record.iterations.empty();
      notes.push_back(path + ": refused: " + refusal->reason +
                      (counts_steps_only ? "; no epoch is in the record: give --steps N" : "") +
                      (note.empty() ? "" : "; note of the record: " + note));
      continue;
    }
    row.found = ledger::adjusted_by_user_ledger(std::get<forecast::Forecast>(answer));
    for (const auto& reason : row.found->reasons) {
      notes.push_back(path + ": " + reason);
    }
  }
  std::vector<table::Table> tables{table::make_table("forecast", "Forecast of the whole run",
                                                     forecast_columns(records, fraction), rows,
                                                     std::move(notes))};
  table::add_note(tables.front(), class_note(rows));
  std::erase_if(rows, [](const ForecastRow& row) { return !row.found; });
  tables.push_back(parts_table(rows));
  for (auto& more : by_relatives.tables()) {
    tables.push_back(std::move(more));
  }
  return {not_empty(std::move(tables)), rows.size() + by_relatives.forecasts()};
}

}  // namespace epochcast::analysis
