// Advice on where to run: a row for each allocation, and the choice between them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/advise/preemption.hpp"
#include "jobs/advise/queue_wait.hpp"
#include "jobs/advise/run_forecast.hpp"
#include "jobs/cluster/cluster.hpp"
#include "jobs/plan/time_limit.hpp"
#include "src/base/core/quantity.hpp"
#include "src/record/run/prices.hpp"

namespace epochcast::jobs {

/// What is known of running on one allocation.
struct AdviceRow {
  AllocationProfile site;
  RunForecast run;
  double limit_s = 0;        ///< Asked for: the one that `plan` would ask for.
  std::string limit_detail;  ///< Where it is from, or how it is exceeded.
  Pieces pieces;             ///< If the run needs more than the longest limit; else count is 1.
  AllocationWait wait;
  Preemption preemption = {};
  std::optional<forecast::Prediction> result_s;  ///< Wait, run and loss by preemption.
  run::Usage usage;                              ///< Of the median run time and the loss.
  std::optional<double> money;                   ///< At the prices of the profile.
  std::optional<double> money_high;              ///< Of the upper ends.
  std::optional<double> energy_j;
  Pieces gap_pieces;  ///< Of what fits into the gap of now; count 0: nothing fits.
  bool pareto = false;
  bool chosen = false;
  std::string verdict;  ///< Why it is not considered; empty: it is.
};

/// Fills in limit_s, pieces and usage from row.run; `most_limit_s` is the longest limit of the
/// partition or of the allocation. The limit is that of `plan` (margin_s); without a forecast, or
/// if it needs more, the allocation's.
void set_limit(AdviceRow& row, double most_limit_s);

/// Fills in what follows from run and wait: result, costs, energy, pieces in the gap. The medians
/// of wait and run are added; the distances from the medians to the ends of their intervals are
/// added in quadrature, as of independent numbers. A run in pieces waits for each of them, and
/// after each preemption. What a preemption is expected to lose is added, with its interval.
void set_result(AdviceRow& row);

/// "may need 6.10 GiB of memory of a node, and asks for 6G"; "": it is enough, or not known.
std::string too_little_memory(const AdviceRow& row);

/// What the user wants.
struct Wishes {
  std::optional<double> deadline_s;  ///< Seconds from now.
  std::optional<double> budget;      ///< In the currency of the prices.
};

/// Marks the Pareto set and the choice, and returns the one line that says what to choose and why.
/// A row is in the Pareto set if no other is at least as good in time to result and in every cost
/// that both have (money, else CPU-hours and GPU-hours; energy) and better in one. Chosen is the
/// row that is fastest in the median; with a deadline the cheapest of those whose 80 % interval
/// ends before it; never one whose cost may exceed the budget.
std::string choose(std::vector<AdviceRow>& rows, const Wishes& wishes);

/// What a pilot would tell, one line for each allocation where it could change the choice: its
/// length and, if the choice is the fastest, what knowing the run time there is worth, in expected
/// time to result saved.
std::vector<std::string> worthwhile_pilots(const std::vector<AdviceRow>& rows);

}  // namespace epochcast::jobs
