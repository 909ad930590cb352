// Regression and its statistics: least squares, Student's t, and whether a series has a trend.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace epochcast::forecast {

/// One equation: the sum of coefficient times factor is 1. A vector holds the factors; all
/// equations have equal weight.
using Equation = std::vector<double>;

/// The sums that a least-squares fit of many equations needs, so that the fit without some of them
/// costs no second pass over the others.
class NormalEquations {
 public:
  /// `unknowns`: the length of an equation, at least 1 and small: see non_negative().
  explicit NormalEquations(std::size_t unknowns);

  void add(std::span<const double> equation) { add(equation, 1); }
  /// Takes an equation that was added out again.
  void take_out(std::span<const double> equation) { add(equation, -1); }

  /// False after equations were taken out that were nearly all of a sum: what is left of it is
  /// rounding.
  bool is_precise() const;

  /// As non_negative_least_squares. `likely`: the coefficients of a similar fit. From those above 0
  /// it takes a few steps to the best ones (an active set, Lawson and Hanson 1974), so not every
  /// subset is tried.
  std::vector<double> non_negative(const std::vector<double>& likely = {}) const;

 private:
  struct Solution {
    std::vector<double> values;  ///< Empty: singular.
    double gain = 0;             ///< By how much the squared error is less than that of zeros.
  };
  void add(std::span<const double> equation, double sign);
  Solution solved_for(const std::vector<std::size_t>& used) const;
  std::size_t worth_adding(const std::vector<double>& values) const;
  std::vector<double> near(const std::vector<double>& likely) const;
  double at(std::size_t row, std::size_t column) const { return sums_[row * unknowns_ + column]; }

  std::size_t unknowns_;
  double count_ = 0;
  std::vector<double> sums_;   ///< Of products of two factors.
  std::vector<double> right_;  ///< Of factors.
  std::vector<double> most_;   ///< The largest sum of squares so far, of each unknown.
};

/// The non-negative coefficients with the least sum of squared errors. Solves for every subset of
/// non-zero coefficients (2^n subsets, so n must be small; n is the length of the first equation,
/// at least 1).
std::vector<double> non_negative_least_squares(const std::vector<Equation>& equations);

/// The number of standard errors to each side with which an interval holds `level` (0 to 1) of the
/// outcomes, by Student's t with `freedom` degrees of freedom (above 0).
double student_half_width(double level, double freedom);

/// The probability that a value of Student's t distribution is below `t`.
double student_probability(double t, double freedom);

/// The same if the standard deviation is known.
double normal_half_width(double level);

/// What the sum of `freedom` (above 0) squares of standard normal values does not exceed with the
/// probability `level`: the quantile of the chi-squared distribution.
double chi_squared_quantile(double level, double freedom);

/// The Theil-Sen slope: the median of the slopes between all pairs of values, per index. 0 for
/// fewer than two values. Quadratic in the number of values.
double theil_sen_slope(const std::vector<double>& values);

/// Whether values rise or fall by more than chance, by two tests at 1 %: Mann-Kendall (the order of
/// pairs shows a direction; normal approximation, ties corrected for continuity only) and CUSUM
/// (the sum of distances from the mean goes further than a Brownian bridge, 1.63 in units of noise,
/// Kolmogorov's quantile). Both must pass, since a few values at one end pass the first test and a
/// jump passes the second. Fewer than about 15 values cannot pass.
bool drifts(const std::vector<double>& values);

}  // namespace epochcast::forecast
