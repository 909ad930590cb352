// Which points run in one job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"

namespace epochcast::jobs {

/// A point with the forecast of its time, from the start of its script to its end.
struct PackPoint {
  std::string point;
  std::optional<double> forecast_s = {};
  double high_s = 0;  ///< Upper end of the 95 % interval; with `forecast_s` only.
};

/// The points of a job, in the order in which they begin.
struct FilledPack {
  std::vector<PackPoint> points;
  std::optional<Seconds> limit;  ///< Time limit; std::nullopt: that of the allocation.
};

/// The time that a job with these points needs at most, with a probability of 95 %: the points run
/// longest first, `parallel` at a time, and their errors are independent.
double pack_needs_s(const std::vector<PackPoint>& points, std::int64_t parallel);

/// Distributes the points to as few jobs as their number and the time limit of the allocation
/// allow, evenly, longest first. Points without a forecast are divided by number.
std::vector<FilledPack> fill_packs(std::vector<PackPoint> points, const AllocationProfile& site);

}  // namespace epochcast::jobs
