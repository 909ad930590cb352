// How much runs of the same program on other systems help a forecast: each run is forecast with its
// whole system left out, and with its whole submitter left out.
#pragma once

#include <string>
#include <vector>

#include "analysis/validate/forecast_scores.hpp"
#include "src/forecast/run/reference_runs.hpp"

namespace epochcast::analysis {

/// A run that is a relative of others.
struct RelatedRun {
  std::string program;  ///< Only runs of one program are relatives.
  std::string submitter;
  forecast::ReferenceRun whole;
};

/// For relatives on other systems, and for those of other submitters, these methods: the forecasts
/// from relatives, where they are not refused; the same intervals learnt from other benchmarks (the
/// last of ForecastCase::groups); the forecasts without relatives of the same runs; the same two
/// where the relatives agree (forecast::FromReferenceRuns); and all runs, those refused without
/// relatives. Then the forecasts from a single other system, the one most alike in speed. `runs`
/// are the runs of `cases`.
std::vector<Method> relative_methods(const std::vector<ForecastCase>& cases,
                                     const std::vector<RelatedRun>& runs);

}  // namespace epochcast::analysis
