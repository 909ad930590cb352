// The middle of some numbers.
#pragma once

#include <vector>

namespace epochcast {

/// The middle value, or the mean of the two in the middle. Throws std::logic_error if there are
/// none.
double median_of(std::vector<double> values);

}  // namespace epochcast
