// The median of numbers.
#pragma once

#include <vector>

namespace epochcast {

/// The middle value, or the mean of the two middle values. Throws std::logic_error if `values` is
/// empty.
double median_of(std::vector<double> values);

}  // namespace epochcast
