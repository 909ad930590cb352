#include "analysis/predict/predict_by_relatives.hpp"

#include <cmath>

#include "analysis/predict/prediction_columns.hpp"
#include "src/forecast/ledger/ledger.hpp"

namespace epochcast::analysis {

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

}  // namespace epochcast::analysis
