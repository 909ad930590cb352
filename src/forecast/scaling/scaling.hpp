// How much faster a training runs with more workers, from runs with fewer.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "src/forecast/statistics/prediction.hpp"

namespace epochcast::forecast {

/// One measurement. Throughput is the total of all workers, in any unit of work per second.
struct ScalingPoint {
  double workers = 0;     ///< GPUs, CPUs; above 0.
  double throughput = 0;  ///< Above 0.
  double nodes = 1;
};

/// A number of workers beyond which additional workers are of a kind that was not measured:
/// "hardware threads of the same cores".
struct Border {
  double workers = 0;
  std::string beyond;
};

struct ScalingQuestion {
  double workers = 0;
  double nodes = 1;
  std::vector<Border> borders = {};
};

struct ScalingForecast {
  Prediction throughput;
  std::string law;  ///< Term with which the loss per worker grows, or "the last doubling".
  std::vector<std::string> reasons;  ///< Warnings, one line each.
};

/// Forecasts the throughput of more (or fewer) workers.
///
/// The time of a worker for its part of the work, n / throughput, is a + loss(n), fitted by
/// non-negative least squares of relative errors. The models of the loss, each growing faster than
/// the one before, are: none (linear); (n-1)/n, the volume of a ring all-reduce (Patarasuk and Yuan
/// 2009); log2 n, a tree; n-1, a serial part (Amdahl 1967); n-1 and n(n-1), contention and
/// coherency (USL, Gunther 1993); and each of them with a step per node if several numbers of nodes
/// were measured. The model with the least leave-one-out error is used; of equally good models, the
/// one that grows more slowly. Two points cannot decide between models; the ring is used. Whatever
/// the model says, the answer is no more than the last measured doubling allows (limit_of).
///
/// The intervals combine those errors, in logarithms and once more for each doubling beyond the
/// measurements, with the disagreement of the models, since few points do not decide; the degrees
/// of freedom are those points. No interval reaches beyond each worker at its best. If all
/// measurements used the same number of nodes and more nodes are requested, the result is halfway
/// between the throughput of the workers on that number of nodes alone and the throughput of all
/// workers as if on that number of nodes.
///
/// Returns a Refusal if only one number of workers was measured, unless it is the requested one,
/// if only two were measured and the requested number is more than twice the larger, and if the
/// most workers that were measured did less than a smaller number, by more than machines differ,
/// unless no more than that number are requested: no model holds beyond such a decline.
std::variant<ScalingForecast, Refusal> scaling_forecast(const std::vector<ScalingPoint>& points,
                                                        const ScalingQuestion& question);

/// A line for each border between the `largest` number of workers that was measured and `asked`.
std::vector<std::string> beyond_borders(const std::vector<Border>& borders, double largest,
                                        double asked);

}  // namespace epochcast::forecast
