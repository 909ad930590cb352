// A number that is forecast, with its prediction intervals; or why there is none.
#pragma once

#include <initializer_list>
#include <limits>
#include <string>

namespace epochcast::forecast {

/// Why no forecast is possible, in one line.
struct Refusal {
  std::string reason;
};

/// The ends of an interval; not a number: not known.
struct Interval {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();

  bool is_known() const { return low <= high; }
  bool holds(double value) const { return low <= value && value <= high; }
};

/// A value of any unit, which the name of the variable states, with the intervals that hold 80 and
/// 95 % of the outcomes. A method without intervals leaves them out.
struct Prediction {
  double value = 0;
  Interval interval_80 = {};
  Interval interval_95 = {};
};

/// The prediction of the value plus a number, or times a factor above 0.
Prediction operator+(const Prediction& prediction, double number);
Prediction operator*(const Prediction& prediction, double factor);

/// The prediction of 1 / value; values and lower ends are above 0.
Prediction inverse(const Prediction& prediction);

/// The prediction of the sum of independent values, which is not below 0: the distances from the
/// values to the ends of their intervals are added in quadrature.
Prediction sum_of_independent(std::initializer_list<Prediction> predictions);

/// The interval from value / e^width to value e^width, for both widths.
Prediction with_log_widths(double value, double width_80, double width_95);

}  // namespace epochcast::forecast
