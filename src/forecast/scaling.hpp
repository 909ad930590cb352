// How much faster more workers are, from runs with fewer.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "src/forecast/refusal.hpp"

namespace epochcast::forecast {

/// One measurement. Throughput is that of all workers together, in any unit of work a second.
struct ScalingPoint {
  double workers = 0;     ///< GPUs, CPUs; above 0.
  double throughput = 0;  ///< Above 0.
  double nodes = 1;
};

/// A number of workers from which on something else begins that no measurement has seen: "hardware
/// threads of the same cores".
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
  double throughput = 0;
  double low_80 = 0;
  double high_80 = 0;
  double low_95 = 0;
  double high_95 = 0;
  std::string law;                   ///< What the loss per worker grows with.
  std::vector<std::string> reasons;  ///< What to beware of, a line each.
};

/// The throughput of more (or fewer) workers.
///
/// What a worker needs for its share of the work, n / throughput, is a + loss(n), by non-negative
/// least squares of relative errors. Laws of the loss, each growing faster than the one before:
/// none (linear); (n-1)/n, the volume of a ring all-reduce (Patarasuk and Yuan 2009); log2 n, a
/// tree; n-1, a serial part (Amdahl 1967); n-1 and n(n-1), contention and coherency (USL, Gunther
/// 1993); and each of them with a step a node where nodes were measured. The law with the least
/// error in leaving one point out is taken, of equals the slower one; two points decide nothing,
/// and the ring is taken. Intervals: those errors, in logarithms and once more for each doubling
/// beyond what was measured, and how far the laws disagree, since few points do not decide. On more
/// nodes than were measured, if those were always as many, halfway between what they do alone and
/// what all workers would do on them.
///
/// Refused for one number of workers, unless it is the one asked for, and for two if it is more
/// than twice the larger.
std::variant<ScalingForecast, Refusal> scaling_forecast(const std::vector<ScalingPoint>& points,
                                                        const ScalingQuestion& question);

/// The forecast with its intervals: of a throughput whose logarithm has this standard deviation, of
/// so many degrees of freedom.
ScalingForecast with_intervals(ScalingForecast forecast, double deviation, double freedom);

}  // namespace epochcast::forecast
