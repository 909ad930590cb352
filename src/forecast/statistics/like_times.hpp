// The time of one thing from the times of others that are more or less like it and come in batches:
// waits in a queue, run times of jobs.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "src/forecast/statistics/prediction.hpp"

namespace epochcast::forecast {

/// From when the time of one thing counts, and how long it takes; infinite: it is not over.
struct CountedTime {
  double from_s = 0;
  double took_s = std::numeric_limits<double>::infinity();
  bool cut_off = false;  ///< It ended after took_s, and would have taken longer.

  double until_s() const { return from_s + took_s; }
};

/// What one user asked for at about the same time: one observation, however many things it has.
struct TimeBatch {
  double asked_at_s = 0;  ///< When the first of it was asked for, and is forecast.
  std::vector<CountedTime> times;
  /// No time of it is longer: a limit of its own.
  double most_s = std::numeric_limits<double>::infinity();
};

/// A time that is part of a distribution.
struct WeightedTime {
  double time_s = 0;
  bool is_over = true;  ///< Else it takes longer than time_s.
  double weight = 1;
};

/// What a share `probability` of the times does not exceed, with those that are not over as Kaplan
/// and Meier (1958) count them; infinite if that is beyond all that are over.
double quantile_of_times(std::vector<WeightedTime> times, double probability);

/// How many of the first of these had time: until there, at most 5 % of the last 100 are open. The
/// newest that have ended are short ones, since the others are open still.
std::size_t had_time(const std::vector<bool>& is_open);

/// How one batch resembles another one, an earlier one.
struct Likeness {
  double distance = 0;    ///< The earlier one weighs exp(-distance).
  double time_ratio = 1;  ///< The times of the earlier one count times this.
};

/// How the ends of an interval move: each for itself, so that it has its share beyond it; or both
/// by as much, so that all beyond them are the share: where a limit leaves none beyond the upper
/// one.
enum class Ends { apart, together };

struct LikeParts {
  Ends ends = Ends::apart;
  std::size_t most = 2000;  ///< Of the batches before one the newest `most` count.
  bool counts_open = true;  ///< What is not over counts as longer; else not at all.
};

/// Forecasts batches, each from those that were asked for before it, as they were known then.
class LikeTimes {
 public:
  /// `batches` by asked_at_s; the last ones may have no times.
  LikeTimes(std::vector<TimeBatch> batches,
            std::function<Likeness(std::size_t batch, std::size_t earlier)> likeness,
            const LikeParts& parts);

  /// Weighted quantiles of the earlier batches, five times of each; std::nullopt if half of them
  /// are not over, or if there are none.
  const std::optional<Prediction>& raw(std::size_t batch) const;

  /// raw() with each end moved so far that the share it promises of earlier batches would have been
  /// beyond theirs (conformalized quantiles, Romano, Patterson and Candes 2019, in the logarithm).
  /// Those that have not ended count as longer. Unchanged with fewer than 20 batches.
  std::optional<Prediction> calibrated(std::size_t batch) const;

  /// Up to which batch, not included, they had time when `batch` was asked for.
  std::size_t had_time(std::size_t batch) const;

  /// Whether there are so many of them.
  bool can_calibrate(std::size_t batch) const;

  /// The times of the earlier batches, rising, each with the share of the distribution until it.
  std::vector<std::pair<double, double>> distribution(std::size_t batch) const;

  /// Calls `use(earlier, time)` for the times (one or five a batch, together of weight 1) of the
  /// earlier batches until `until`, as they are known when `batch` is asked for.
  void each_outcome(std::size_t batch, std::size_t until,
                    const std::function<void(std::size_t, const WeightedTime&)>& use) const;

 private:
  std::size_t first_of(std::size_t batch) const { return batch - std::min(batch, parts_.most); }
  void add_known(std::size_t batch, double now_s, double weight, double ratio, double most_s,
                 std::vector<WeightedTime>& times) const;
  std::vector<WeightedTime> known_to(std::size_t batch) const;
  std::optional<Prediction> forecast(std::size_t batch) const;

  std::vector<TimeBatch> batches_;
  std::function<Likeness(std::size_t, std::size_t)> likeness_;
  LikeParts parts_;
  std::vector<std::vector<WeightedTime>> over_;  ///< Of each batch when all its times are over.
  std::vector<double> over_at_s_;
  mutable std::vector<std::optional<std::optional<Prediction>>> raw_;
};

}  // namespace epochcast::forecast
