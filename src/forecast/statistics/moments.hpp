// Mean and squared distances of a few values.
#pragma once

#include <vector>

namespace epochcast::forecast {

/// The mean, and the sum of squared distances from it (exactly 0 if all values are equal except for
/// rounding); 0 if there are no values.
struct Moments {
  double mean = 0;
  double squares = 0;
};
Moments moments_of(const std::vector<double>& values);

}  // namespace epochcast::forecast
