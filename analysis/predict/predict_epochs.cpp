#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/groups/excluded_runs.hpp"
#include "analysis/predict/predict.hpp"
#include "analysis/predict/predict_by_relatives.hpp"
#include "analysis/predict/prediction_cells.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/varied.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/past_forecasts.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {
namespace {

/// `fraction`: not all lengths are whole epochs.
table::Table forecast_table(bool fraction) {
  return {.name = "forecast",
          .title = "Forecast of the whole run",
          .columns = with_intervals(
              {table::text_column("record", "record"), table::text_column("device", "device"),
               table::number_column("epochs_seen", "epochs seen", "", 0),
               table::number_column("epochs", "of", "", fraction ? 2 : 0),
               seconds_column("forecast", "forecast")},
              {seconds_column("naive", "first epoch x N"), table::text_column("class", "class")})};
}

table::Table parts_table() {
  return {.name = "parts",
          .title = "Parts of the forecast",
          .columns = {table::text_column("record", "record"), seconds_column("before", "before"),
                      seconds_column("first_step", "first step"),
                      seconds_column("other_steps", "other steps"),
                      seconds_column("behind_epochs", "after epochs"),
                      seconds_column("total", "total")}};
}

/// --epochs N, which need not be whole. Throws Error unless it is above 0.
forecast::RunLength epochs_asked(const cli::Arguments& arguments) {
  double epochs = 0;
  cli::read_option(arguments, "epochs", epochs, ">0");
  constexpr double most = 1e15;  // whole numbers up to here are exact
  if (epochs > most) {
    throw Error("--epochs: " + arguments.get("epochs") + " is too large");
  }
  return forecast::length_of_epochs(epochs);
}

/// The parts of a run that has ended and did all of `length`: what is over needs no forecast.
/// std::nullopt for any other run.
std::optional<std::vector<double>> known_parts_s(const record::Record& record,
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
  return std::vector{first.start_s, first.wall_s, others_s,
                     total_s - first.start_s - first.wall_s - others_s, total_s};
}

struct ClassMeaning {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array class_meanings{
    ClassMeaning{"flat", "all take about the same time"},
    ClassMeaning{"warm-up", "the first takes longer than the others, which is not extrapolated"},
    ClassMeaning{"drifting", "they grow longer or shorter"},
    ClassMeaning{"periodic", "their times repeat a pattern"},
    ClassMeaning{"finished", "the run has ended, and this is the time that it took"}};

/// What the words in the column `class` say, as far as they occur.
std::string class_note(const table::Table& table) {
  std::vector<std::string> meanings;
  for (const auto& [name, meaning] : class_meanings) {
    if (std::ranges::any_of(table.rows, [&](const table::Row& row) {
          return row.back() == table::Cell(std::string(name));
        })) {
      meanings.push_back(fmt::format("{}: {}", name, meaning));
    }
  }
  return meanings.empty() ? "" : "class, of the epochs or steps seen: " + join(meanings, "; ");
}

}  // namespace

forecast::RunLength length_wanted(const record::Record& record, const cli::Arguments& arguments) {
  if (arguments.has("steps")) {
    return {.steps = cli::count_of(arguments, "steps")};
  }
  if (arguments.has("epochs")) {
    return epochs_asked(arguments);
  }
  return forecast::length_of(record);
}

Answers predict_epochs(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments) {
  auto table = forecast_table(arguments.has("epochs") && epochs_asked(arguments).unfinished > 0);
  auto parts = parts_table();
  RelativesTables by_relatives(arguments);
  for (const auto& loaded : records) {
    const auto& [path, record] = loaded;
    const auto length = length_wanted(record, arguments);
    if (!length.is_known()) {
      auto& row = table.rows.emplace_back(table::Row(table.columns.size()));
      row.front() = path;
      row[1] = device_of(record);
      row[2] = static_cast<double>(record.epochs.size());
      row.back() = "refused";
      table.notes.push_back(path +
                            ": refused: the record does not state the run's number of epochs; "
                            "give --epochs N or --steps N");
      continue;
    }
    const auto answer = forecast::forecast_of(record, length);
    by_relatives.add(loaded, length, answer);
    const auto seen = static_cast<double>(record.epochs.size());
    const bool in_steps = length.steps > 0;
    const auto epochs = in_steps ? table::Cell() : table::Cell(length.epochs_done());
    const auto naive = in_steps
                           ? table::Cell()
                           : table::cell_of(forecast::naive_total_s(record, length.epochs_done()));
    if (in_steps) {
      table.notes.push_back(path + ": the whole run: " + to_text(length));
    }
    if (const auto known_s = known_parts_s(record, length)) {
      const double total_s = known_s->back();
      table.rows.push_back(
          with_intervals({path, device_of(record), seen, epochs, total_s},
                         forecast::Prediction{total_s, {total_s, total_s}, {total_s, total_s}},
                         {naive, "finished"}));
      auto& row = parts.rows.emplace_back(table::Row{path});
      row.insert(row.end(), known_s->begin(), known_s->end());
      continue;
    }
    if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
      table.rows.push_back(with_intervals({path, device_of(record), seen, epochs, table::Cell()},
                                          std::nullopt, {naive, "refused"}));
      const auto note = record.iterations.empty() && record.epochs.empty()
                            ? record.header.note.str()
                            : std::string();
      table.notes.push_back(path + ": refused: " + refusal->reason +
                            (note.empty() ? "" : "; note of the record: " + note));
      continue;
    }
    const auto found = ledger::adjusted_by_user_ledger(std::get<forecast::Forecast>(answer));
    table.rows.push_back(
        with_intervals({path, device_of(record), seen, epochs, found.total_s.value}, found.total_s,
                       {naive, found.classification}));
    auto& row = parts.rows.emplace_back(table::Row{path});
    for (const auto& part : found.parts) {
      row.emplace_back(part.seconds);
    }
    row.emplace_back(found.total_s.value);
    for (const auto& reason : found.reasons) {
      table.notes.push_back(path + ": " + reason);
    }
  }
  table::add_note(table, class_note(table));
  constexpr std::size_t most_varied = 4;
  auto varied = varied_parameters(records);
  varied.resize(std::min(varied.size(), most_varied));
  insert_columns(table, 1, attribute_columns(varied, records), records);
  const auto forecasts = parts.rows.size() + by_relatives.forecasts();
  std::vector<table::Table> tables{std::move(table), std::move(parts)};
  for (auto& more : by_relatives.tables()) {
    tables.push_back(std::move(more));
  }
  return {not_empty(std::move(tables)), forecasts};
}

}  // namespace epochcast::analysis
