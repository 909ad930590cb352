#include <fmt/format.h>

#include <cmath>

#include "analysis/predict/prediction_columns.hpp"
#include "analysis/predict/time_on_device.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/past_forecasts.hpp"

namespace epochcast::analysis {
namespace {

/// What a tier says of the two devices.
struct TierRow {
  std::string tier;
  const char* use = "no answer";
  std::optional<device::Ratio> ratio = {};

  /// How many times as fast the other device is, low to high, where the width is known.
  std::string interval(double device::Ratio::*width) const {
    const double known = ratio ? (*ratio).*width : 0;
    return known > 0 ? fmt::format("{:.2f} to {:.2f}", std::exp(-known) / ratio->value,
                                   std::exp(known) / ratio->value)
                     : "";
  }
};

table::Table ratio_table(const OnDeviceQuestion& question, const OnDevice& on_device) {
  std::vector<TierRow> rows;
  std::vector<std::string> notes;
  const auto* answer = std::get_if<device::TierRatio>(&on_device.answer);
  for (const auto& [name, tier] : device::tiers_by_rank()) {
    auto& row = rows.emplace_back(TierRow{name});
    const auto said = tier.ratio(on_device.asked);
    if (const auto* none = std::get_if<device::NoRatio>(&said)) {
      notes.push_back(name + ": " + none->reason);
      continue;
    }
    row.ratio = std::get<device::Ratio>(said);
    row.use = answer != nullptr && answer->tier == name ? "used"
              : tier.for_comparison                     ? "for comparison"
                                                        : "";
    notes.push_back(
        fmt::format("{}: {}; mean error so far {}", name, row.ratio->basis, tier.measured_error));
  }
  const table::Columns<TierRow> columns{
      {"tier", "tier", &TierRow::tier},
      {"use", "", &TierRow::use},
      {"speed", "times as fast", "", 3,
       [](auto& row) { return row.ratio ? table::Cell(1 / row.ratio->value) : table::Cell(); }},
      {"interval_80", "80%-interval",
       [](auto& row) { return row.interval(&device::Ratio::width_80); }},
      {"interval_95", "95%-interval",
       [](auto& row) { return row.interval(&device::Ratio::width_95); }}};
  return table::make_table(
      "ratio",
      fmt::format("How many times as fast {} is as {}", question.to->label, question.from->label),
      columns, rows, std::move(notes));
}

std::vector<std::string> notes_of(const OnDeviceQuestion& question, const OnDevice& on_device) {
  std::vector<std::string> notes;
  if (on_device.flagged) {
    notes.push_back("not scaled, the device is not the bottleneck: " + *on_device.flagged);
  }
  if (!on_device.step.parts) {
    notes.push_back(
        "single steps were not recorded: all of the time is taken for the device's, which makes "
        "the other device look better than it is where launching or data take a part");
  }
  if (!on_device.step.measured.work.whole()) {
    notes.push_back(
        "FLOPs and bytes of a step were not both counted: arithmetic and memory weigh "
        "the same");
  }
  for (const auto* device : {question.from, question.to}) {
    if (const auto unchecked = device::unchecked_figures(*device); !unchecked.empty()) {
      notes.push_back(fmt::format("{}: not checked in the device database: {}", device->name,
                                  join(unchecked, ", ")));
    }
  }
  return notes;
}

/// A time on both devices; without a prediction, only what it is here.
struct TimeRow {
  std::string what;
  double here_s;
  std::optional<forecast::Prediction> there_s = {};
};

table::Columns<TimeRow> time_columns(const OnDeviceQuestion& question, const TimeUnit& unit) {
  table::Columns<TimeRow> columns{
      {"what", "what", &TimeRow::what},
      {fmt::format("here_{}", unit.name), question.from->name, unit.name, unit.decimals,
       [unit](const TimeRow& row) { return unit.per_second * row.here_s; }}};
  return columns.add(prediction_columns("there", question.to->name, unit), &TimeRow::there_s);
}

/// std::nullopt if it must not be scaled, or if no tier answers.
std::optional<forecast::Prediction> time_of(const OnDevice& on_device, double here_s) {
  return on_device.answered() ? std::optional(on_device.time(here_s)) : std::nullopt;
}

table::Table step_table(const OnDeviceQuestion& question, const OnDevice& on_device) {
  std::vector<TimeRow> rows;
  if (const auto& parts = on_device.step.parts) {
    rows = {{"device", parts->device_s},
            {"host", parts->host_s},
            {"input", parts->input_s},
            {"other waits", parts->sync_s}};
  }
  const double step_s = on_device.step.measured.time_s;
  rows.push_back({"step", step_s, time_of(on_device, step_s)});
  return table::make_table("step", "A step on both devices",
                           time_columns(question, in_milliseconds), rows,
                           notes_of(question, on_device));
}

table::Table training_table(const OnDeviceQuestion& question, const OnDevice& on_device,
                            double total_s) {
  const std::vector<TimeRow> rows{{fmt::format("{} epochs", record::epochs_of(*question.record)),
                                   total_s, time_of(on_device, total_s)}};
  return table::make_table("training", "The whole training on both devices",
                           time_columns(question, in_seconds), rows);
}

}  // namespace

table::Table run_table(const OnDeviceQuestion& question, const OnDevice& on_device,
                       const forecast::RunLength& length) {
  std::vector<TimeRow> rows;
  std::vector<std::string> notes;
  const auto answer = forecast::forecast_of(*question.record, length);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    notes.push_back("refused: " + refusal->reason);
  } else if (const auto why = on_device.refusal()) {
    notes.push_back("refused: " + *why);
  } else {
    const auto here = ledger::adjusted_by_user_ledger(std::get<forecast::Forecast>(answer));
    rows.push_back({to_text(length), here.total_s.value, run_on_device(run_here(here), on_device)});
    notes = here.reasons;
    notes.push_back(fmt::format(
        "{:.1f} s before the first step stay as they are, {:.0f} % more or less; all else goes "
        "with the steps",
        run_here(here).fixed_s, 100 * host_uncertainty));
  }
  return table::make_table("run",
                           fmt::format("A run of {} on {}", to_text(length), question.to->label),
                           time_columns(question, in_seconds), rows, std::move(notes));
}

std::vector<table::Table> on_device_tables(const OnDeviceQuestion& question,
                                           const OnDevice& on_device) {
  std::vector<table::Table> tables{ratio_table(question, on_device),
                                   step_table(question, on_device)};
  if (const auto total_s = total_training_s(*question.record)) {
    tables.push_back(training_table(question, on_device, *total_s));
  }
  return tables;
}

}  // namespace epochcast::analysis
