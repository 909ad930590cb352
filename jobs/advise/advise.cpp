#include "jobs/advise/advise.hpp"

#include <algorithm>
#include <cmath>

#include "jobs/plan/known_runs.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::jobs {
namespace {

/// The longest limit that a job of the allocation may ask for: the partition's, the shortest of
/// several, else the profile's.
double longest_limit_s(const AllocationProfile& site,
                       const std::vector<slurm::Partition>& partitions) {
  double most_s = HUGE_VAL;
  for (const auto* partition : slurm::among(partitions, run::partitions_of(site.asks))) {
    most_s = std::min(most_s, partition->max_time_s);
  }
  if (std::isfinite(most_s)) {
    return most_s;
  }
  return site.asks.time.value > 0 ? site.asks.time.value : HUGE_VAL;
}

AllocationWait no_wait() {
  AllocationWait wait;
  wait.chosen = WaitForecast{.source = WaitSource::none,
                             .wait_s = {0, {0, 0}},
                             .error = {},
                             .reasons = {"the cluster has no scheduler: runs start at once"}};
  return wait;
}

}  // namespace

Advice advise(const AdviseRequest& request) {
  const auto matrix = read_matrix(request.generate);
  auto sources = request.sources;
  sources.known = known_runs({}, matrix.experiment.name);
  Advice advice{.experiment = matrix.experiment.name,
                .cluster = matrix.cluster.name,
                .rows = {},
                .choice = "",
                .pilots = {},
                .notes = {}};
  const auto points = points_to_advise(matrix);
  std::optional<WaitForecaster> waits;
  std::vector<slurm::Partition> partitions;
  if (!matrix.cluster.is_local()) {
    slurm::leave_enclosing_job();
    auto queue = query_site_queue(request.history, request.past_days);
    partitions = queue.site.partitions;
    waits.emplace(std::move(queue));
  }
  for (const auto& point : points) {
    AdviceRow row{.site = profile_of(matrix.cluster, point.allocation)};
    row.run = run_forecast(matrix, point, sources);
    set_limit(row, longest_limit_s(row.site, partitions));
    row.wait = waits ? waits->wait_of(row.site, row.limit_s) : no_wait();
    set_result(row);
    advice.rows.push_back(std::move(row));
  }
  if (waits) {
    advice.notes = waits->notes();
  }
  advice.choice = choose(advice.rows, request.wishes);
  advice.pilots = worthwhile_pilots(advice.rows);
  return advice;
}

}  // namespace epochcast::jobs
