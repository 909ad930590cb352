// What all of the forecast works on: a stretch of training, its time and its work.
#pragma once

#include <cstddef>
#include <vector>

namespace epochcast::forecast {

/// An iteration, an epoch, or several of them in a row.
struct Step {
  double seconds = 0;
  double work = 1;  ///< Samples, tokens, FLOPs; any unit, but the same for all steps. Above 0.

  double rate() const { return seconds / work; }  ///< Seconds a unit of work.
};

/// Time and work of all of them.
Step sum_of(const std::vector<Step>& steps);

/// Each `size` steps as one, counted from the end; those over at the start are left out.
std::vector<Step> merged(const std::vector<Step>& steps, std::size_t size);

/// Without the first `count`.
std::vector<Step> behind(const std::vector<Step>& steps, std::size_t count);

std::vector<double> rates_of(const std::vector<Step>& steps);

/// Mean, and sum of squared distances from it (exactly 0 where all values are equal but for
/// rounding); 0 of nothing.
struct Moments {
  double mean = 0;
  double squares = 0;
};
Moments moments_of(const std::vector<double>& values);

}  // namespace epochcast::forecast
