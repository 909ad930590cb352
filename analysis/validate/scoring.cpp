#include "analysis/validate/scoring.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/base/core/statistics.hpp"

namespace epochcast::analysis {
namespace {

struct Errors {
  std::vector<double> signed_percent;
  std::vector<double> half_width_80, half_width_95;  ///< Percent, of the rows that have them.
  std::size_t inside_80 = 0;
  std::size_t inside_95 = 0;
  std::size_t refused = 0;
};

void take(const forecast::Interval& interval, double value, double actual,
          std::vector<double>& half_widths, std::size_t& inside) {
  if (interval.is_known()) {
    half_widths.push_back(100 * (interval.high - interval.low) / 2 / value);
    inside += interval.holds(actual) ? 1 : 0;
  }
}

Errors errors_of(const std::vector<double>& actual, const Method& method) {
  if (method.predictions.size() != actual.size()) {
    throw std::logic_error("score_table: " + method.name + " was asked about other rows");
  }
  Errors errors;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const auto& prediction = method.predictions[i];
    errors.refused += prediction ? 0 : 1;
    if (prediction) {
      errors.signed_percent.push_back(100 * (prediction->value - actual[i]) / actual[i]);
      take(prediction->interval_80, prediction->value, actual[i], errors.half_width_80,
           errors.inside_80);
      take(prediction->interval_95, prediction->value, actual[i], errors.half_width_95,
           errors.inside_95);
    }
  }
  return errors;
}

table::Cell quantile_cell(std::vector<double> values, double probability) {
  return values.empty() ? table::Cell() : table::Cell(quantile(std::move(values), probability));
}

table::Cell share_cell(std::size_t inside, std::size_t of) {
  return of == 0 ? table::Cell()
                 : table::Cell(100 * static_cast<double>(inside) / static_cast<double>(of));
}

table::Row row_of(const Method& method, const Errors& errors) {
  auto size = errors.signed_percent;
  for (auto& value : size) {
    value = std::abs(value);
  }
  return {method.name,
          static_cast<double>(size.size()),
          static_cast<double>(errors.refused),
          table::cell_of(mean(size)),
          quantile_cell(size, 0.5),
          quantile_cell(size, 0.9),
          quantile_cell(size, 0.95),
          quantile_cell(size, 1),
          table::cell_of(mean(errors.signed_percent)),
          share_cell(errors.inside_80, errors.half_width_80.size()),
          quantile_cell(errors.half_width_80, 0.5),
          share_cell(errors.inside_95, errors.half_width_95.size()),
          quantile_cell(errors.half_width_95, 0.5)};
}

std::vector<table::Column> columns() {
  auto bias = table::number_column("bias_percent", "bias", "%", 2);
  bias.always_sign = true;
  return {table::text_column("method", "method"),
          table::number_column("n", "n", "", 0),
          table::number_column("refused", "refused", "", 0),
          table::number_column("mean_percent", "mean", "%", 2),
          table::number_column("median_percent", "median", "%", 2),
          table::number_column("p90_percent", "p90", "%", 2),
          table::number_column("p95_percent", "p95", "%", 2),
          table::number_column("max_percent", "max", "%", 1),
          bias,
          table::number_column("covered_80_percent", "80%-interval covers", "%", 1),
          table::number_column("half_width_80_percent", "half-width", "%", 2),
          table::number_column("covered_95_percent", "95%-interval covers", "%", 1),
          table::number_column("half_width_95_percent", "half-width", "%", 2)};
}

/// The values of some of the rows.
template <class Value>
std::vector<Value> part_of(const std::vector<Value>& all, const std::vector<std::size_t>& rows) {
  std::vector<Value> part;
  for (const auto row : rows) {
    part.push_back(all.at(row));
  }
  return part;
}

}  // namespace

table::Table score_table(const std::string& name, const std::string& title,
                         const std::vector<double>& actual, const std::vector<Method>& methods) {
  table::Table table{.name = name, .title = title, .columns = columns()};
  for (const auto& method : methods) {
    table.rows.push_back(row_of(method, errors_of(actual, method)));
  }
  return table;
}

table::Table slice_table(const std::string& name, const std::string& title,
                         const std::vector<double>& actual, const std::vector<Method>& methods,
                         const std::vector<Slice>& slices) {
  table::Table table{.name = name,
                     .title = title,
                     .columns = {table::text_column("by", "by"), table::text_column("what", "")}};
  const auto scores = columns();
  table.columns.insert(table.columns.end(), scores.begin(), scores.end());
  for (const auto& method : methods) {
    for (const auto& slice : slices) {
      if (!slice.rows.empty()) {
        auto& row = table.rows.emplace_back(table::Row{slice.by, slice.what});
        const auto scored =
            row_of(method, errors_of(part_of(actual, slice.rows),
                                     Method{method.name, part_of(method.predictions, slice.rows)}));
        row.insert(row.end(), scored.begin(), scored.end());
      }
    }
  }
  return table;
}

}  // namespace epochcast::analysis
