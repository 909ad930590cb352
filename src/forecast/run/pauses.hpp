// What comes between the steps of a run: after its epochs, or between its blocks.
#pragma once

#include <string>
#include <vector>

#include "src/forecast/run/forecast.hpp"
#include "src/forecast/run/mixture.hpp"

namespace epochcast::forecast {

/// With this probability, so many seconds more (or fewer) come in the rest of the run.
struct PossiblePauses {
  double probability = 0;
  double mean_s = 0;
  double deviation_s = 0;
};

/// All pauses of a run, those seen included, and their error as standard deviations.
struct Pauses {
  double seconds = 0;
  double below_s = 0;
  double above_s = 0;
  std::vector<PossiblePauses> possible = {};
  std::vector<std::string> reasons = {};
  bool known = true;  ///< Forecast::pauses_known.
};

/// `rate`: seconds per unit of the steps' work.
///
/// After epochs: as long as the mean of those seen, and half their mean counts like three more of
/// them. What comes only every so many epochs may not have been seen: from nothing to unseen_gap of
/// an epoch.
///
/// Between blocks (RunSeries::of_blocks), and where a schedule is stated, by the schedule, stated
/// or seen: what it names takes as long as those seen, and unseen_evaluation of the work between
/// two if none was. The first is often longer (first_pause). Where no pause was seen and none is
/// stated, an evaluation may begin later (unseen_pauses).
Pauses pauses_of(const RunSeries& series, double rate);

/// Every scenario, without and with each of `possible`.
std::vector<Component> with_possible(std::vector<Component> scenarios,
                                     const std::vector<PossiblePauses>& possible);

/// The epochs (or blocks) that the forecast covers.
double epochs_asked(const RunSeries& series);

/// Their work; 0: not known.
double series_work(const RunSeries& series);

}  // namespace epochcast::forecast
