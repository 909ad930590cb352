#include <fmt/format.h>

#include <cmath>

#include "analysis/predict/prediction_cells.hpp"
#include "analysis/predict/time_on_device.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis {
namespace {

/// How many times as fast the other device is, low to high, where `width` is known.
std::string speed_interval(const device::Ratio& ratio, double width) {
  return width > 0 ? fmt::format("{:.2f} to {:.2f}", std::exp(-width) / ratio.value,
                                 std::exp(width) / ratio.value)
                   : "";
}

table::Table ratio_table(const OnDeviceQuestion& question, const OnDevice& on_device) {
  table::Table table{.name = "ratio",
                     .title = fmt::format("How many times as fast {} is as {}", question.to->label,
                                          question.from->label),
                     .columns = {table::text_column("tier", "tier"), table::text_column("use", ""),
                                 table::number_column("speed", "times as fast", "", 3),
                                 table::text_column("interval_80", "80%-interval"),
                                 table::text_column("interval_95", "95%-interval")}};
  const auto* answer = std::get_if<device::TierRatio>(&on_device.answer);
  for (const auto& [name, tier] : device::tiers_by_rank()) {
    const auto said = tier.ratio(on_device.asked);
    if (const auto* none = std::get_if<device::NoRatio>(&said)) {
      table.rows.push_back({name, "no answer", table::Cell(), "", ""});
      table.notes.push_back(name + ": " + none->reason);
      continue;
    }
    const auto& ratio = std::get<device::Ratio>(said);
    const auto* use = answer != nullptr && answer->tier == name ? "used"
                      : tier.for_comparison                     ? "for comparison"
                                                                : "";
    table.rows.push_back({name, use, 1 / ratio.value, speed_interval(ratio, ratio.width_80),
                          speed_interval(ratio, ratio.width_95)});
    table.notes.push_back(
        fmt::format("{}: {}; mean error so far {}", name, ratio.basis, tier.measured_error));
  }
  return table;
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

/// A table of times; `unit` is "ms" or "s".
struct TimeTable {
  table::Table table;
  double per_second;

  TimeTable(const OnDeviceQuestion& question, const std::string& name, const std::string& title,
            const std::string& unit)
      : per_second(unit == "ms" ? 1000 : 1) {
    const auto time = [&](const std::string& key, const std::string& heading) {
      return table::number_column(key + "_" + unit, heading, unit, unit == "ms" ? 3 : 1);
    };
    table = {.name = name,
             .title = title,
             .columns = with_intervals({table::text_column("what", "what"),
                                        time("here", question.from->name),
                                        time("there", question.to->name)})};
  }

  /// Without a prediction, only what it is here.
  void add(const std::string& what, double here_s,
           const std::optional<forecast::Prediction>& there_s = {}) {
    const auto there = there_s ? std::optional(*there_s * per_second) : std::nullopt;
    table.rows.push_back(with_intervals(
        {what, per_second * here_s, there ? table::Cell(there->value) : table::Cell()}, there));
  }
};

/// std::nullopt if it must not be scaled, or if no tier answers.
std::optional<forecast::Prediction> time_of(const OnDevice& on_device, double here_s) {
  return on_device.answered() ? std::optional(on_device.time(here_s)) : std::nullopt;
}

table::Table step_table(const OnDeviceQuestion& question, const OnDevice& on_device) {
  TimeTable times(question, "step", "A step on both devices", "ms");
  if (const auto& parts = on_device.step.parts) {
    times.add("device", parts->device_s);
    times.add("host", parts->host_s);
    times.add("input", parts->input_s);
    times.add("other waits", parts->sync_s);
  }
  const double step_s = on_device.step.measured.time_s;
  times.add("step", step_s, time_of(on_device, step_s));
  times.table.notes = notes_of(question, on_device);
  return times.table;
}

table::Table training_table(const OnDeviceQuestion& question, const OnDevice& on_device,
                            double total_s) {
  TimeTable times(question, "training", "The whole training on both devices", "s");
  times.add(fmt::format("{} epochs", record::epochs_of(*question.record)), total_s,
            time_of(on_device, total_s));
  return times.table;
}

}  // namespace

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
