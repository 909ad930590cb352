// How good forecasts were: every method on identical rows, with its intervals and its refusals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/forecast/statistics/prediction.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// A method and its answers, one for each target, of whatever is forecast: seconds, a ratio, a
/// throughput; nothing: it refused.
struct Method {
  std::string name;
  std::vector<std::optional<forecast::Prediction>> predictions;
};

/// A table of the methods on rows with these outcomes (above 0). Errors are |forecast − actual| /
/// actual in percent (bias: with its sign); percentiles are interpolated between ranks; a
/// half-width is (high − low) / 2 / forecast. A method is scored on the rows that it answered, and
/// the rows that it refused are counted beside them. Throws std::logic_error if a method has not
/// one answer (or refusal) for each row.
table::Table score_table(const std::string& name, const std::string& title,
                         const std::vector<double>& actual, const std::vector<Method>& methods);

}  // namespace epochcast::analysis
