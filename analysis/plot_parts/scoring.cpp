#include "analysis/plot_parts/scoring.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/base/core/statistics.hpp"
#include "src/output/table/make_table.hpp"

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

/// A method's errors.
struct ScoreRow {
  std::string method;
  Errors errors;

  std::vector<double> sizes_percent() const {
    auto sizes = errors.signed_percent;
    for (auto& size : sizes) {
      size = std::abs(size);
    }
    return sizes;
  }
};

auto error_quantile(double probability) {
  return [probability](const ScoreRow& row) {
    return quantile_cell(row.sizes_percent(), probability);
  };
}

auto covered(std::size_t Errors::*inside, std::vector<double> Errors::*half_widths) {
  return [inside, half_widths](const ScoreRow& row) {
    return share_cell(row.errors.*inside, (row.errors.*half_widths).size());
  };
}

auto median_half_width(std::vector<double> Errors::*half_widths) {
  return [half_widths](const ScoreRow& row) { return quantile_cell(row.errors.*half_widths, 0.5); };
}

table::Columns<ScoreRow> score_columns() {
  return {
      {"method", "method", &ScoreRow::method},
      {"n", "n", "", 0, [](const ScoreRow& row) { return row.errors.signed_percent.size(); }},
      {"refused", "refused", "", 0, [](const ScoreRow& row) { return row.errors.refused; }},
      {"mean_percent", "mean", "%", 2,
       [](const ScoreRow& row) { return mean(row.sizes_percent()); }},
      {"median_percent", "median", "%", 2, error_quantile(0.5)},
      {"p90_percent", "p90", "%", 2, error_quantile(0.9)},
      {"p95_percent", "p95", "%", 2, error_quantile(0.95)},
      {"max_percent", "max", "%", 1, error_quantile(1)},
      {"bias_percent", "bias", "%", 2,
       [](const ScoreRow& row) { return mean(row.errors.signed_percent); }, table::with_sign},
      {"covered_80_percent", "80%-interval covers", "%", 1,
       covered(&Errors::inside_80, &Errors::half_width_80)},
      {"half_width_80_percent", "half-width", "%", 2, median_half_width(&Errors::half_width_80)},
      {"covered_95_percent", "95%-interval covers", "%", 1,
       covered(&Errors::inside_95, &Errors::half_width_95)},
      {"half_width_95_percent", "half-width", "%", 2, median_half_width(&Errors::half_width_95)}};
}

}  // namespace

table::Table score_table(const std::string& name, const std::string& title,
                         const std::vector<double>& actual, const std::vector<Method>& methods) {
  std::vector<ScoreRow> rows;
  for (const auto& method : methods) {
    rows.push_back({method.name, errors_of(actual, method)});
  }
  return table::make_table(name, title, score_columns(), rows);
}

}  // namespace epochcast::analysis
