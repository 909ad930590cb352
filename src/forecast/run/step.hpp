// The basic unit of the forecast: a part of a training, with its time and its work.
#pragma once

#include <cstddef>
#include <vector>

namespace epochcast::forecast {

/// An iteration, an epoch, or several of them in a row.
struct Step {
  double seconds = 0;
  double work = 1;  ///< Samples, tokens, FLOPs; any unit, but the same for all steps. Above 0.

  double rate() const { return seconds / work; }  ///< Seconds per unit of work.
};

/// The total time and work of `steps`.
Step sum_of(const std::vector<Step>& steps);

/// Groups of `size` steps, each merged into one step, counted from the end; a remainder at the
/// start is omitted.
std::vector<Step> merged(const std::vector<Step>& steps, std::size_t size);

/// `steps` without the first `count`.
std::vector<Step> steps_after(const std::vector<Step>& steps, std::size_t count);

std::vector<double> rates_of(const std::vector<Step>& steps);

}  // namespace epochcast::forecast
