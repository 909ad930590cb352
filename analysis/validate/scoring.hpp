// How good forecasts were: every method on identical rows, with its intervals and its refusals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/table/table.hpp"

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
};

/// One row to forecast: the outcome (above 0), and the forecast of the naive rule, which replaces a
/// refusal in the line of all rows.
struct ScoredRow {
  double actual = 0;
  double naive = 0;
};

/// A method and its answers, one for each target; nothing: it refused.
struct Method {
  std::string name;
  std::vector<std::optional<Guess>> guesses;
};

/// What is scored of a method that refused rows.
enum class Refusals {
  replaced,  ///< Also all rows, with the naive rule for the refused ones.
  counted    ///< Only what it answered: a rule of another method says nothing of this one.
};

/// A table of the methods. Errors are |guess − actual| / actual in percent (bias: with its sign);
/// percentiles are interpolated between ranks; a half-width is (high − low) / 2 / guess. A method
/// that refused rows has two lines: the rows it answered, and all rows with the naive rule in place
/// of a refusal; with Refusals::counted only the first, and the number of refusals beside it.
/// Throws std::logic_error if a method has not one answer (or refusal) for each target.
table::Table score_table(const std::string& name, const std::string& title,
                         const std::vector<ScoredRow>& targets, const std::vector<Method>& methods,
                         Refusals refusals = Refusals::replaced);

}  // namespace epochcast::analysis
