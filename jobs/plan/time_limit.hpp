// From a forecast to a time limit, and what to do where a site does not give that much. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "src/core/quantity.hpp"

namespace epochcast::jobs {

/// What a limit has above the upper bound of a forecast: 10 % of it, and no less than the signal's
/// lead and 60 s: Slurm may send the signal 60 s early (its manual; 53 s were measured for a lead
/// of 30 s).
double margin_s(double high_s, Seconds signal_lead);

/// How long a job may take, as the upper bound of its forecast.
struct JobTime {
  double before_s = 0;   ///< From the job's start to the program's.
  double program_s = 0;  ///< From there to its end.

  double total_s() const { return before_s + program_s; }
};

/// Rounded up to whole minutes, as Slurm counts.
Seconds in_minutes(double seconds);

/// A run over the limit, cut into pieces that go on from each other's checkpoints; what comes
/// before the program comes before each.
struct Pieces {
  std::int64_t count = 0;   ///< 0: the limit is too short for any.
  std::int64_t epochs = 0;  ///< A piece, the last may have fewer.
};
Pieces pieces_for(const JobTime& most, std::int64_t epochs, Seconds limit, Seconds signal_lead);

}  // namespace epochcast::jobs
