#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/predict/length_asked.hpp"
#include "analysis/predict/predict.hpp"
#include "analysis/predict/prediction_columns.hpp"
#include "analysis/predict/schedule_asked.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/records.hpp"
#include "analysis/records/varied.hpp"
#include "src/base/cli/command_line.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/ledger.hpp"
#include "src/forecast/ledger/past_forecasts.hpp"
#include "src/forecast/run/reference_records.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/output/table/table.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {
namespace {

/// The forecasts of runs from runs of the same program elsewhere, as tables: collects the answers
/// for one record after the other.
class RelativesTables {
 public:
  /// The candidates are the records of --relatives; parameters of --may-differ may differ. Without
  /// --relatives they are the complete runs of the same experiment in the user's ledger, and a
  /// record for which these do not agree has no row. Throws Error if none of the candidates has
  /// one of these parameters.
  explicit RelativesTables(const cli::Arguments& arguments);

  /// The forecast of `pilot` from its relatives, beside `without`.
  void add(const LoadedRecord& pilot, const forecast::RunLength& length,
           const std::variant<forecast::Forecast, forecast::Refusal>& without);

  std::size_t forecasts() const { return forecasts_; }
  /// The forecasts, and which candidates were taken; none if there were no candidates.
  std::vector<table::Table> tables() const;

 private:
  struct Answer {
    std::string path;
    std::size_t epochs_seen;
    std::optional<double> without_s;
    std::optional<forecast::FromReferenceRuns> found;  ///< Nothing: refused.

    const forecast::Prediction* forecast_s() const {
      return found ? &found->forecast.total_s : nullptr;
    }
    const char* agree() const { return !found ? "refused" : found->agree ? "yes" : "no"; }
  };
  struct Taken {
    std::string path;
    forecast::RelatedRecord relative;
  };

  const std::vector<LoadedRecord>& candidates_for(const LoadedRecord& pilot);

  std::vector<LoadedRecord> candidates_;
  bool are_given_ = false;
  std::map<std::string, std::vector<LoadedRecord>> in_ledger_;  ///< By experiment.
  record::ParameterNames may_differ_;
  std::vector<Answer> answers_;
  std::vector<std::string> refusals_;
  std::vector<Taken> taken_;
  std::vector<std::string> remarks_;
  std::size_t forecasts_ = 0;
};

RelativesTables::RelativesTables(const cli::Arguments& arguments) {
  if (const auto paths = arguments.all("relatives"); !paths.empty()) {
    candidates_ = load_and_report(paths).records;
    are_given_ = true;
  }
  const auto names = arguments.all("may-differ");
  require_attributes(candidates_, names);
  may_differ_.insert(names.begin(), names.end());
}

const std::vector<LoadedRecord>& RelativesTables::candidates_for(const LoadedRecord& pilot) {
  if (are_given_) {
    return candidates_;
  }
  const auto experiment = pilot.record.header.experiment.str();
  const auto [known, is_new] = in_ledger_.try_emplace(experiment);
  if (is_new && !experiment.empty()) {
    if (const auto paths = ledger::records_of_experiment(experiment); !paths.empty()) {
      known->second = load_and_report(paths, record::Rows::without_steps).records;
    }
  }
  return known->second;
}

void RelativesTables::add(const LoadedRecord& pilot, const forecast::RunLength& length,
                          const std::variant<forecast::Forecast, forecast::Refusal>& without) {
  const auto related = forecast::reference_records(pilot, candidates_for(pilot), may_differ_);
  const auto relatives = forecast::reference_runs_among(related);
  const auto* known = std::get_if<forecast::Forecast>(&without);
  const auto answer = forecast::forecast_from_records(
      pilot.record, length, relatives,
      known == nullptr ? std::nullopt : std::optional<forecast::Forecast>(*known));
  const auto* found = std::get_if<forecast::FromReferenceRuns>(&answer);
  if (related.empty() || (!are_given_ && (found == nullptr || !found->agree))) {
    return;
  }
  for (const auto& one : related) {
    taken_.push_back({pilot.path, one});
  }
  if (!relatives.empty() && !forecast::states_its_program(pilot.record, may_differ_)) {
    remarks_.push_back(pilot.path +
                       ": states no parameter of its program: the runs given are taken for "
                       "runs of the same program");
  }
  answers_.push_back({pilot.path, pilot.record.epochs.size(),
                      known == nullptr ? std::nullopt : std::optional(known->total_s.value),
                      found == nullptr ? std::nullopt : std::optional(*found)});
  if (found != nullptr) {
    ++forecasts_;
  } else {
    refusals_.push_back(pilot.path + ": refused: " + std::get<forecast::Refusal>(answer).reason);
  }
}

std::vector<table::Table> RelativesTables::tables() const {
  if (taken_.empty()) {
    return {};
  }
  using Found = forecast::FromReferenceRuns;
  using Relative = forecast::RelatedRecord;
  const table::Columns<Found> basis{
      {"systems", "systems", "", 0, &Found::systems},
      {"resembled", "resembled", "", 1, &Found::near},
      {"apart_percent", "they differ by", "%", 1,
       [](const Found& found) { return 100 * std::expm1(found.spread); }}};
  table::Columns<Answer> answers{{"record", "record", &Answer::path},
                                 {"epochs_seen", "epochs seen", "", 0, &Answer::epochs_seen}};
  answers.add(prediction_columns("forecast", "forecast"), &Answer::forecast_s)
      .add({"without_s", "without them", "s", 1, &Answer::without_s})
      .add(basis, &Answer::found)
      .add({"agree", "agree", &Answer::agree});
  const table::Columns<Relative> relatives{
      {"relative", "relative", &Relative::path},
      {"system", "system", &Relative::system},
      {"epochs", "epochs", "", 0, &Relative::epochs},
      {"used", "used", [](const Relative& relative) { return relative.left_out.empty(); }},
      {"left_out", "left out because", &Relative::left_out}};
  table::Columns<Taken> taken{{"record", "record", &Taken::path}};
  return {table::make_table("with_relatives", "Forecast from runs of the same program elsewhere",
                            answers, answers_, refusals_),
          table::make_table("relatives", "Runs considered as relatives",
                            taken.add(relatives, &Taken::relative), taken_, remarks_)};
}

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
