#include "analysis/predict/predict_by_relatives.hpp"

#include <cmath>
#include <optional>

#include "src/forecast/series_from_record.hpp"

namespace epochcast::analysis {
namespace {

table::Table answers_table() {
  const auto time = [](const std::string& key, const std::string& heading) {
    return table::number_column(key + "_s", heading, "s", 1);
  };
  return {.name = "with_relatives",
          .title = "Forecast from runs of the same program elsewhere",
          .columns = {table::text_column("record", "record"),
                      table::number_column("epochs_seen", "epochs seen", "", 0),
                      time("forecast", "forecast"), time("low_80", "80% from"),
                      time("high_80", "to"), time("low_95", "95% from"), time("high_95", "to"),
                      time("without", "without them"),
                      table::number_column("systems", "systems", "", 0),
                      table::number_column("resembled", "resembled", "", 1),
                      table::number_column("apart_percent", "they differ by", "%", 1),
                      table::text_column("agree", "agree")}};
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

/// The epochs of the record as a series; std::nullopt if the length is not known in epochs.
std::optional<forecast::Series> epochs_seen(record::Record record,
                                            const forecast::RunLength& length) {
  record.iterations.clear();
  if (length.steps == 0) {
    return forecast::series_of(record, length.epochs);
  }
  const auto per_epoch = record.work.empty() ? 0 : record.work.front().iterations_per_epoch;
  if (per_epoch <= 0) {
    return std::nullopt;
  }
  const auto [epochs, unfinished] = forecast::epochs_of_steps(length.steps, per_epoch);
  return forecast::series_of(record, epochs, unfinished);
}

std::variant<forecast::FromRelatives, forecast::Refusal> answer_of(
    const record::Record& record, const forecast::RunLength& length,
    const std::vector<forecast::Relative>& relatives,
    const std::optional<forecast::Forecast>& without) {
  if (relatives.empty()) {
    return forecast::Refusal{"none of the runs given is one of the same program"};
  }
  const auto seen = epochs_seen(record, length);
  if (!seen) {
    return forecast::Refusal{
        "the length is given in steps, and the record does not state the steps of an epoch; give "
        "--epochs N"};
  }
  return forecast::forecast_from_relatives(*seen, relatives, without);
}

}  // namespace

RelativesTables::RelativesTables(const cli::Arguments& arguments)
    : answers_(answers_table()), taken_(taken_table()) {
  if (const auto paths = arguments.all("relatives"); !paths.empty()) {
    candidates_ = load_and_report(paths).records;
  }
  for (const auto& name : arguments.all("may-differ")) {
    require_attribute(candidates_, name);
    may_differ_.insert(name);
  }
}

void RelativesTables::add(const LoadedRecord& pilot, const forecast::RunLength& length,
                          const std::variant<forecast::Forecast, forecast::Refusal>& without) {
  if (candidates_.empty()) {
    return;
  }
  std::vector<forecast::Relative> relatives;
  for (auto& related : related_records(pilot, candidates_, may_differ_)) {
    const bool used = related.left_out.empty();
    taken_.rows.push_back({pilot.path, related.path, related.system, related.epochs,
                           used ? "yes" : "no", related.left_out});
    if (used) {
      relatives.push_back(std::move(related.whole));
    }
  }
  if (!relatives.empty() && !states_its_program(pilot.record, may_differ_)) {
    taken_.notes.push_back(pilot.path +
                           ": states no parameter of its program: the runs given are taken for "
                           "runs of the same program");
  }
  const auto* known = std::get_if<forecast::Forecast>(&without);
  const auto total_s = known == nullptr ? table::Cell() : table::Cell(known->total_s);
  const auto answer =
      answer_of(pilot.record, length, relatives,
                known == nullptr ? std::nullopt : std::optional<forecast::Forecast>(*known));
  auto& row = answers_.rows.emplace_back(table::Row(answers_.columns.size()));
  row[0] = pilot.path;
  row[1] = static_cast<double>(pilot.record.epochs.size());
  row[7] = total_s;
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    row.back() = "refused";
    answers_.notes.push_back(pilot.path + ": refused: " + refusal->reason);
    return;
  }
  const auto& found = std::get<forecast::FromRelatives>(answer);
  const auto& forecast = found.forecast;
  row = {pilot.path,
         row[1],
         forecast.total_s,
         forecast.interval_80.low_s,
         forecast.interval_80.high_s,
         forecast.interval_95.low_s,
         forecast.interval_95.high_s,
         total_s,
         static_cast<double>(found.systems),
         found.near,
         100 * std::expm1(found.spread),
         found.agree ? "yes" : "no"};
  ++forecasts_;
}

std::vector<table::Table> RelativesTables::tables() const {
  return candidates_.empty() ? std::vector<table::Table>() : std::vector{answers_, taken_};
}

}  // namespace epochcast::analysis
