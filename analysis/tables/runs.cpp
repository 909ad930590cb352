// One row per record: where it ran, what it varied, how far it came, what it reached, and why it
// may not count.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "analysis/records/best_metric.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "analysis/records/varied.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/device/device.hpp"
#include "src/forecast/efficiency/model_work.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/record/reader.hpp"
#include "src/record/record.hpp"

namespace epochcast::analysis::tables {
namespace runs_table {

/// Samples, tokens and model FLOP a second of the run, and its model FLOPs utilization, at its
/// steady rate (steady_samples_per_s). No utilization where the device, its peak in the precision
/// of the run, or the number of GPUs is not known, and of runs on CPUs.
efficiency::WorkRates run_rates(const record::Record& record,
                                const std::vector<device::Device>& database,
                                const efficiency::StatedWork& stated) {
  const auto step = recorded_step(record);
  const double step_s = step ? step->measured.time_s : 0;
  return efficiency::work_rates(
      record, steady_samples_per_s(record), step_s > 0 ? std::optional(1 / step_s) : std::nullopt,
      efficiency::gpus_of_run(record, stated) *
          device::peak_flops_per_s(record, efficiency::precision_of(record, stated), database),
      stated);
}

/// What a training reached: a number of one record.
using Result = table::RowColumn<LoadedRecord>;

Result best_result(const Quantity& quantity) {
  return {"best_" + quantity.name, "best " + quantity.name, "", 4,
          [quantity](const auto& loaded) -> std::optional<double> {
            const auto best = best_value(loaded.record, quantity.name);
            return best ? std::optional(best->value) : std::nullopt;
          }};
}

std::optional<double> last_val_loss(const LoadedRecord& loaded) {
  return last_metric(loaded.record, held_out_name(loaded.record, "loss"));
}

std::optional<double> last_loss(const LoadedRecord& loaded) {
  const auto loss = last_metric(loaded.record, "loss");
  return loss ? loss : last_metric(loaded.record, "train_loss");
}

/// The best scores on held-out data, its best loss only where there is no score, and the last
/// losses, as far as a record has them.
table::Columns<LoadedRecord> results_in(const std::vector<LoadedRecord>& records) {
  constexpr std::size_t most_scores = 3;
  table::Columns<LoadedRecord> results;
  for (const auto& quantity : scored_quantities(records)) {
    if (results.all().empty() || (results.all().size() < most_scores && quantity.name != "loss")) {
      results.add(best_result(quantity));
    }
  }
  for (const auto& last : {Result{"last_val_loss", "last val_loss", "", 4, last_val_loss},
                           Result{"last_loss", "last loss", "", 4, last_loss}}) {
    if (std::ranges::any_of(
            records, [&](const auto& loaded) { return last.cell(loaded) != table::Cell(); })) {
      results.add(last);
    }
  }
  return results;
}

/// "best accuracy: 0.9312 (val_acc, after epoch 12) with lr=0.01: point train-1a2b3c4d".
std::string best_note(const std::vector<LoadedRecord>& records,
                      const std::vector<std::string>& varied, const Quantity& quantity) {
  const LoadedRecord* of = nullptr;
  std::optional<BestValue> best;
  std::size_t with_value = 0;
  for (const auto& loaded : records) {
    const auto value = best_value(loaded.record, quantity.name);
    with_value += value ? 1 : 0;
    if (value && (!best || (value->value != best->value &&
                            (value->value > best->value) == quantity.higher_is_better))) {
      best = value;
      of = &loaded;
    }
  }
  if (with_value < 2) {
    return "";
  }
  std::vector<std::string> values;
  for (const auto& name : varied) {
    values.push_back(name + "=" + attribute(of->record, name).value_or(""));
  }
  return fmt::format("best {}: {} ({}, after epoch {}){}{}; --sort best lists the best run first",
                     quantity.name, format_fixed(best->value, 4), best->name, best->epoch + 1,
                     values.empty() ? ": " : " with " + join(values, ", ") + ": ",
                     "point " + of->record.header.point.str());
}

/// What the runs processed in a second.
using RatesOf = std::map<const record::Record*, efficiency::WorkRates>;

RatesOf rates_of(const std::vector<LoadedRecord>& records, const efficiency::StatedWork& stated) {
  RatesOf rates;
  record::RecordReader reader;
  const auto database = device::read_device_database(device::device_database_folder());
  for (const auto& loaded : records) {
    const auto& record = loaded.record;
    const bool of_steps =
        record.iterations.empty() && std::filesystem::exists(loaded.path) &&  // not loaded
        std::ranges::none_of(record.epochs, [](const auto& row) { return row.samples > 0; });
    rates[&record] = run_rates(of_steps ? reader.read(loaded.path) : record, database, stated);
  }
  return rates;
}

/// Those that one of the runs has.
table::Columns<LoadedRecord> rate_columns(const RatesOf& rates) {
  table::Columns<LoadedRecord> columns;
  for (const auto& shown : efficiency::shown_rates) {
    if (std::ranges::any_of(rates,
                            [&](const auto& of) { return shown.of(of.second).has_value(); })) {
      columns.add({shown.key, shown.heading, shown.unit, shown.decimals,
                   [&](const LoadedRecord& loaded) { return shown.of(rates.at(&loaded.record)); }});
    }
  }
  return columns;
}

table::Columns<LoadedRecord> columns_of(const std::vector<std::string>& varied,
                                        const std::vector<LoadedRecord>& records,
                                        const RatesOf& rates) {
  using Header = record::RecordHeader;
  const auto field = [](auto Header::*of_header) {
    return [of_header](const LoadedRecord& loaded) { return loaded.record.header.*of_header; };
  };
  const auto known_text = [](auto Header::*of_header) {
    return [of_header](const LoadedRecord& loaded) {
      return table::text_cell((loaded.record.header.*of_header).str());
    };
  };
  table::Columns<LoadedRecord> columns{{"point", "point", field(&Header::point)},
                                       {"allocation", "allocation", field(&Header::allocation)}};
  return columns.add(attribute_columns(varied, records))
      .add({{"device", "device", [](const auto& loaded) { return device_of(loaded.record); }},
            {"host", "host",
             [](const auto& loaded) {
               return table::text_cell(attribute(loaded.record, "host").value_or(""));
             }},
            {"job_id", "job", known_text(&Header::job_id)},
            {"restart", "restart", "", 0, field(&Header::restart)},
            {"source", "source", field(&Header::source)},
            {"outcome", "outcome", field(&Header::outcome)},
            {"epochs_recorded", "epochs recorded", "", 0,
             [](const auto& loaded) { return loaded.record.epochs.size(); }},
            {"epochs", "of", "", 0,
             [](const auto& loaded) {
               return table::positive_cell(static_cast<double>(record::epochs_of(loaded.record)));
             }},
            {"total_s", "total", "s", 1,
             [](const auto& loaded) { return total_training_s(loaded.record); }}})
      .add(rate_columns(rates))
      .add(results_in(records))
      .add({{"tainted", "tainted", known_text(&Header::tainted)},
            {"disturbed", "disturbed",
             [](const auto& loaded) {
               return table::text_cell(telemetry::disturbance_text(loaded.record));
             }},
            {"outcome_text", "why", known_text(&Header::outcome_text)}});
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  constexpr std::size_t most_columns = 8;
  auto names = options.by;
  std::vector<std::string> hidden;
  for (const auto& name : varied_parameters(records)) {
    if (std::ranges::find(names, name) == names.end()) {
      (names.size() < most_columns ? names : hidden).push_back(name);
    }
  }
  require_attributes(records, names);
  const auto rates = rates_of(records, options.work);
  auto table = table::make_table("runs", "Runs", columns_of(names, records, rates), records);
  for (const auto& [path, record] : records) {
    if (const auto warning = efficiency::mfu_warning(rates.at(&record)); !warning.empty()) {
      table::add_note(table, record.header.point.str() + ": " + warning);
    }
  }
  if (const auto scored = scored_quantities(records); !scored.empty()) {
    table::add_note(table, best_note(records, names, scored.front()));
  }
  if (!hidden.empty()) {
    table::add_note(table, fmt::format("{} more parameters differ (--by NAME shows one): {}",
                                       hidden.size(), join(hidden, ", ")));
  }
  return {table};
}

}  // namespace runs_table

TableSpec runs() {
  return {.summary = "one row per record: varied parameters, outcome, total time, accuracy",
          .make = runs_table::make,
          .rows = record::Rows::without_steps,
          .keeps_disturbed = true,
          .own_options = {"parameters", "flops-per-token", "sequence-length", "gpus", "precision"}};
}

}  // namespace epochcast::analysis::tables
