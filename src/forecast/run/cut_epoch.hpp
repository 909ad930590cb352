// The last epoch of a run that stops at a target, within it.
#pragma once

#include <vector>

namespace epochcast::forecast {

/// Whether a run that has ended stopped within the last of its epochs (three or more): that one was
/// shorter than every other, by more than machines differ, and the two before it were alike. Its
/// time says nothing about a whole epoch.
bool ends_within_last(const std::vector<double>& epoch_s);

}  // namespace epochcast::forecast
