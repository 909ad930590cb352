// Scaling to more nodes than any run had, from the measured network between them.
#pragma once

#include <optional>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/forecast/scaling/exchange_cost.hpp"
#include "src/forecast/scaling/scaling.hpp"

namespace epochcast::analysis {

struct ProbedRuns {
  std::vector<forecast::ScalingPoint> points;
  std::vector<const record::Record*> records;  ///< Of the points, in their order.
  std::vector<forecast::ExchangeProbe> probes;
};

/// The probes of all records, also of runs too short to be forecast.
std::vector<forecast::ExchangeProbe> probes_of(const std::vector<LoadedRecord>& records);

/// The step of a run with several ranks, carried to the nodes asked for (exchange_cost.hpp): of the
/// run whose ranks a node are nearest to those asked for, of several the one with the most.
/// Nothing if a point has as many nodes, since it knows better, and where probes on as many
/// nodes or a run with its steps and waits are missing.
std::optional<forecast::ScalingForecast> forecast_by_probes(
    const ProbedRuns& runs, const forecast::ScalingQuestion& question);

}  // namespace epochcast::analysis
