#include "analysis/validate/scoring.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/core/statistics.hpp"

namespace epochcast::analysis {
namespace {

struct Errors {
  std::vector<double> signed_percent;
  std::vector<double> half_width_80, half_width_95;  ///< Percent, of the rows that have them.
  std::size_t inside_80 = 0;
  std::size_t inside_95 = 0;
  std::size_t refused = 0;
};

void take(const std::optional<Band>& band, double value, double actual,
          std::vector<double>& half_widths, std::size_t& inside) {
  if (band) {
    half_widths.push_back(100 * (band->high - band->low) / 2 / value);
    inside += band->low <= actual && actual <= band->high ? 1 : 0;
  }
}

Errors errors_of(const std::vector<ScoredRow>& targets, const Method& method,
                 bool naive_for_refusals) {
  Errors errors;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double actual = targets[i].actual;
    const auto& guess = method.guesses[i];
    errors.refused += guess ? 0 : 1;
    if (guess || naive_for_refusals) {
      const double value = guess ? guess->value : targets[i].naive;
      errors.signed_percent.push_back(100 * (value - actual) / actual);
    }
    if (guess) {
      take(guess->band_80, guess->value, actual, errors.half_width_80, errors.inside_80);
      take(guess->band_95, guess->value, actual, errors.half_width_95, errors.inside_95);
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

table::Row row_of(const Method& method, const std::string& rows, const Errors& errors) {
  auto size = errors.signed_percent;
  for (auto& value : size) {
    value = std::abs(value);
  }
  return {method.name,
          rows,
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
          table::text_column("rows", "rows"),
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

}  // namespace

table::Table score_table(const std::string& name, const std::string& title,
                         const std::vector<ScoredRow>& targets, const std::vector<Method>& methods,
                         Refusals refusals) {
  table::Table table{.name = name, .title = title, .columns = columns()};
  for (const auto& method : methods) {
    if (method.guesses.size() != targets.size()) {
      throw std::logic_error("score_table: " + method.name + " was asked about other rows");
    }
    const auto answered = errors_of(targets, method, false);
    if (answered.refused == 0) {
      table.rows.push_back(row_of(method, "all", answered));
      continue;
    }
    table.rows.push_back(row_of(method, "answered", answered));
    if (refusals == Refusals::counted) {
      continue;
    }
    auto all = errors_of(targets, method, true);
    all.half_width_80
        .clear();  // the naive rule has no interval, so these are the answered rows' only
    all.half_width_95.clear();
    table.rows.push_back(row_of(method, "all", all));
  }
  return table;
}

}  // namespace epochcast::analysis
