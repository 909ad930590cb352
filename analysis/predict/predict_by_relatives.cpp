#include "analysis/predict/predict_by_relatives.hpp"

#include <cmath>
#include <optional>

#include "analysis/predict/prediction_cells.hpp"
#include "src/forecast/ledger/ledger.hpp"

namespace epochcast::analysis {
namespace {

table::Table answers_table() {
  return {
      .name = "with_relatives",
      .title = "Forecast from runs of the same program elsewhere",
      .columns = with_intervals({table::text_column("record", "record"),
                                 table::number_column("epochs_seen", "epochs seen", "", 0),
                                 seconds_column("forecast", "forecast")},
                                {seconds_column("without", "without them"),
                                 table::number_column("systems", "systems", "", 0),
                                 table::number_column("resembled", "resembled", "", 1),
                                 table::number_column("apart_percent", "they differ by", "%", 1),
                                 table::text_column("agree", "agree")})};
}

table::Table taken_table() {
  return {
      .name = "relatives",
      .title = "Runs considered as relatives",
      .columns = {
          table::text_column("record", "record"), table::text_column("relative", "relative"),
          table::text_column("system", "system"), table::number_column("epochs", "epochs", "", 0),
          table::text_column("used", "used"), table::text_column("left_out", "left out because")}};
}

}  // namespace

RelativesTables::RelativesTables(const cli::Arguments& arguments)
    : answers_(answers_table()), taken_(taken_table()) {
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
  const auto* refusal = std::get_if<forecast::Refusal>(&answer);
  const bool agree = refusal == nullptr && std::get<forecast::FromReferenceRuns>(answer).agree;
  if (related.empty() || (!are_given_ && !agree)) {
    return;
  }
  for (const auto& one : related) {
    taken_.rows.push_back({pilot.path, one.path, one.system, one.epochs,
                           one.left_out.empty() ? "yes" : "no", one.left_out});
  }
  if (!relatives.empty() && !forecast::states_its_program(pilot.record, may_differ_)) {
    taken_.notes.push_back(pilot.path +
                           ": states no parameter of its program: the runs given are taken for "
                           "runs of the same program");
  }
  const auto total_s = known == nullptr ? table::Cell() : table::Cell(known->total_s.value);
  const auto seen = static_cast<double>(pilot.record.epochs.size());
  if (refusal != nullptr) {
    answers_.rows.push_back(
        with_intervals({pilot.path, seen, table::Cell()}, std::nullopt,
                       {total_s, table::Cell(), table::Cell(), table::Cell(), "refused"}));
    answers_.notes.push_back(pilot.path + ": refused: " + refusal->reason);
    return;
  }
  const auto& found = std::get<forecast::FromReferenceRuns>(answer);
  const auto& forecast_s = found.forecast.total_s;
  answers_.rows.push_back(
      with_intervals({pilot.path, seen, forecast_s.value}, forecast_s,
                     {total_s, static_cast<double>(found.systems), found.near,
                      100 * std::expm1(found.spread), found.agree ? "yes" : "no"}));
  ++forecasts_;
}

std::vector<table::Table> RelativesTables::tables() const {
  return taken_.rows.empty() ? std::vector<table::Table>() : std::vector{answers_, taken_};
}

}  // namespace epochcast::analysis
