// How good forecasts were: every method on identical rows, with its intervals and its refusals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// An interval of whatever is forecast: seconds, a ratio, a throughput.
struct Band {
  double low = 0;
  double high = 0;
};

/// One answer of a method. A method without intervals leaves them out.
struct Guess {
  double value = 0;
  std::optional<Band> band_80 = {};
  std::optional<Band> band_95 = {};
  std::string kind = {};  ///< The class of the forecast.
};

/// A method and its answers, one for each target; nothing: it refused.
struct Method {
  std::string name;
  std::vector<std::optional<Guess>> guesses;
};

/// A table of the methods on rows with these outcomes (above 0). Errors are |guess − actual| /
/// actual in percent (bias: with its sign); percentiles are interpolated between ranks; a
/// half-width is (high − low) / 2 / guess. A method is scored on the rows that it answered, and the
/// rows that it refused are counted beside them. Throws std::logic_error if a method has not one
/// answer (or refusal) for each row.
table::Table score_table(const std::string& name, const std::string& title,
                         const std::vector<double>& actual, const std::vector<Method>& methods);

/// Some of the rows, by their numbers: "length", "17 to 35 epochs".
struct Slice {
  std::string by;
  std::string what;
  std::vector<std::size_t> rows;
};

/// The scores of each method on each slice, with the errors and the coverage of its intervals.
/// Slices without rows are left out.
table::Table slice_table(const std::string& name, const std::string& title,
                         const std::vector<double>& actual, const std::vector<Method>& methods,
                         const std::vector<Slice>& slices);

}  // namespace epochcast::analysis
