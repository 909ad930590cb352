// One row per record: where it ran, what it varied, how far it came, what it reached, and why it
// may not count.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/records/best_metric.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/varied.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis::tables {
namespace {

table::Cell cell_of(const std::string& text) {
  return text.empty() ? table::Cell() : table::Cell(text);
}

/// What a training reached: a number of one record.
struct Result {
  table::Column column;
  std::function<std::optional<double>(const record::Record&)> of;
};

Result best_result(const Quantity& quantity) {
  return {table::number_column("best_" + quantity.name, "best " + quantity.name, "", 4),
          [quantity](const record::Record& record) -> std::optional<double> {
            const auto best = best_value(record, quantity.name);
            return best ? std::optional(best->value) : std::nullopt;
          }};
}

std::optional<double> last_val_loss(const record::Record& record) {
  return last_metric(record, held_out_name(record, "loss"));
}

std::optional<double> last_loss(const record::Record& record) {
  const auto loss = last_metric(record, "loss");
  return loss ? loss : last_metric(record, "train_loss");
}

/// The best scores on held-out data, its best loss only where there is no score, and the last
/// losses, as far as a record has them.
std::vector<Result> results_in(const std::vector<LoadedRecord>& records) {
  constexpr std::size_t most_scores = 3;
  std::vector<Result> results;
  for (const auto& quantity : scored_quantities(records)) {
    if (results.empty() || (results.size() < most_scores && quantity.name != "loss")) {
      results.push_back(best_result(quantity));
    }
  }
  for (const auto& last :
       {Result{table::number_column("last_val_loss", "last val_loss", "", 4), last_val_loss},
        Result{table::number_column("last_loss", "last loss", "", 4), last_loss}}) {
    if (std::ranges::any_of(records, [&](const LoadedRecord& loaded) {
          return last.of(loaded.record).has_value();
        })) {
      results.push_back(last);
    }
  }
  return results;
}

/// "best accuracy: 0.9312 (val_acc, after epoch 12) with lr=0.01: point train-1a2b3c4d".
std::string best_note(const std::vector<LoadedRecord>& records,
                      const std::vector<table::Column>& varied, const Quantity& quantity) {
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
  for (const auto& column : varied) {
    values.push_back(column.key + "=" + attribute(of->record, column.key).value_or(""));
  }
  return fmt::format("best {}: {} ({}, after epoch {}){}{}; --sort best lists the best run first",
                     quantity.name, format_fixed(best->value, 4), best->name, best->epoch + 1,
                     values.empty() ? ": " : " with " + join(values, ", ") + ": ",
                     "point " + of->record.header.point.str());
}

std::vector<table::Column> columns_of(const std::vector<table::Column>& varied,
                                      const std::vector<Result>& results) {
  std::vector<table::Column> columns{table::text_column("point", "point"),
                                     table::text_column("allocation", "allocation")};
  columns.insert(columns.end(), varied.begin(), varied.end());
  for (const auto& column :
       {table::text_column("device", "device"), table::text_column("host", "host"),
        table::text_column("job_id", "job"), table::number_column("restart", "restart", "", 0),
        table::text_column("source", "source"), table::text_column("outcome", "outcome"),
        table::number_column("epochs_recorded", "epochs recorded", "", 0),
        table::number_column("epochs", "of", "", 0),
        table::number_column("total_s", "total", "s", 1)}) {
    columns.push_back(column);
  }
  for (const auto& result : results) {
    columns.push_back(result.column);
  }
  columns.push_back(table::text_column("tainted", "tainted"));
  columns.push_back(table::text_column("disturbed", "disturbed"));
  columns.push_back(table::text_column("outcome_text", "why"));
  return columns;
}

table::Row row_of(const record::Record& record, const std::vector<table::Column>& varied,
                  const std::vector<Result>& results) {
  const auto& header = record.header;
  table::Row row{header.point.str(), header.allocation.str()};
  for (const auto& column : varied) {
    row.push_back(attribute_cell(record, column));
  }
  const auto epochs = record::epochs_of(record);
  row.emplace_back(device_of(record));
  row.push_back(cell_of(attribute(record, "host").value_or("")));
  row.push_back(cell_of(header.job_id.str()));
  row.emplace_back(static_cast<double>(header.restart));
  row.emplace_back(header.source.str());
  row.emplace_back(header.outcome.str());
  row.emplace_back(static_cast<double>(record.epochs.size()));
  row.push_back(epochs > 0 ? table::Cell(static_cast<double>(epochs)) : table::Cell());
  row.push_back(table::cell_of(total_training_s(record)));
  for (const auto& result : results) {
    row.push_back(table::cell_of(result.of(record)));
  }
  row.push_back(cell_of(header.tainted.str()));
  row.push_back(cell_of(telemetry::disturbance_text(record)));
  row.push_back(cell_of(header.outcome_text.str()));
  return row;
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
  std::vector<table::Column> varied;
  for (const auto& name : names) {
    require_attribute(records, name);
    varied.push_back(attribute_column(name, records));
  }
  const auto results = results_in(records);
  table::Table table{.name = "runs", .title = "Runs", .columns = columns_of(varied, results)};
  for (const auto& loaded : records) {
    table.rows.push_back(row_of(loaded.record, varied, results));
  }
  if (const auto scored = scored_quantities(records); !scored.empty()) {
    table::add_note(table, best_note(records, varied, scored.front()));
  }
  if (!hidden.empty()) {
    table::add_note(table, fmt::format("{} more parameters differ (--by NAME shows one): {}",
                                       hidden.size(), join(hidden, ", ")));
  }
  return {table};
}

}  // namespace

TableSpec runs() {
  return {.summary = "one row per record: varied parameters, outcome, total time, accuracy",
          .make = make,
          .rows = record::Rows::without_steps,
          .keeps_disturbed = true};
}

}  // namespace epochcast::analysis::tables
