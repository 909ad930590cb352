// How long the rest of a training takes, from the steps done so far. Numbers in, numbers out: the trainer's ETA,
// `jobs plan` and the analyzer ask here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace epochcast {

/// What was measured of a run, and what is asked about it.
struct Series {
  std::vector<double> iteration_s;       ///< Every step with its wait for data, in order.
  double before_s = 0;                   ///< Before the first step.
  double behind_epoch_s = 0;             ///< Pictures, evaluation and checkpoint behind an epoch, mean.
  std::int64_t iterations_per_epoch = 0;
  std::int64_t epochs = 0;               ///< How many the forecast is for.
};

struct Interval {
  double low_s = 0;
  double high_s = 0;
};

struct Part {
  std::string name;  ///< before, warm-up, steady, behind epochs.
  double seconds = 0;
};

struct Forecast {
  double total_s = 0;  ///< The sum of the parts.
  Interval interval_80;
  Interval interval_95;
  std::vector<Part> parts;
  std::string classification;  ///< "flat" or "warm-up".
  double steady_iteration_s = 0;
};

/// Why there is no forecast.
struct Refusal {
  std::string reason;
};

/// The time of the whole run. Its warm-up is cut off by MSER-5 (the cut that leaves the smallest standard error,
/// in blocks of 5 steps) and counted once; the remaining steps go at the mean of the blocks behind the cut.
/// The intervals take the blocks as independent and normal, so they know nothing of drift or of another day.
std::variant<Forecast, Refusal> forecast(const Series& series);

/// How many values at the start MSER-5 leaves out: a multiple of 5, at most half.
std::size_t warm_up_length(const std::vector<double>& values);

}  // namespace epochcast
