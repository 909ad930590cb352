#include "jobs/advise/advise.hpp"

#include <fmt/format.h>

#include <cmath>

#include "jobs/plan/known_runs.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::jobs {
namespace {

/// The longest limit that a job of the allocation may ask for: the partition's, else the profile's.
double longest_limit_s(const AllocationProfile& site, const slurm::Site& asked) {
  const auto* bound = slurm::bounding(asked, run::partitions_of(site.asks));
  if (bound != nullptr && std::isfinite(bound->max_time_s)) {
    return bound->max_time_s;
  }
  return site.asks.time.value > 0 ? site.asks.time.value : HUGE_VAL;
}

/// Of several partitions those that cannot take a job with the limit.
void note_short_partitions(const AdviceRow& row, const slurm::Site& asked,
                           std::vector<std::string>& notes) {
  const auto ours = slurm::among(asked.partitions, run::partitions_of(row.site.asks));
  for (const auto* partition : ours) {
    if (ours.size() > 1 && partition->max_time_s < row.limit_s) {
      notes.push_back(
          fmt::format("{}: the limit {} is longer than partition '{}' allows, {}: the "
                      "job waits for the other partitions",
                      row.site.name, format_duration(row.limit_s), partition->name,
                      format_duration(partition->max_time_s)));
    }
  }
}

/// Epochs from one checkpoint of the point to the next; 0: a job that is preempted starts over.
std::int64_t epochs_between(const Matrix& matrix, const Point& point) {
  const auto parameters = complete_parameters(point);
  const bool in_steps = !run::value_of_parameter(parameters, "steps").empty();
  const auto every = in_steps ? "1" : run::value_of_parameter(parameters, "checkpoint_every", "1");
  return can_resume(matrix) ? parse_integer(every).value_or(1) : 0;
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
  SiteQueue queue;
  if (!matrix.cluster.is_local()) {
    slurm::leave_enclosing_job();
    queue = query_site_queue(request.history, request.past_days);
    waits.emplace(queue);
  }
  for (const auto& point : points) {
    AdviceRow row{.site = with_lead(profile_of(matrix.cluster, point.allocation),
                                    lead_before_limit(point.program, {}))};
    row.run = run_forecast(matrix, point, sources);
    set_limit(row, longest_limit_s(row.site, queue.site));
    note_short_partitions(row, queue.site, advice.notes);
    row.preemption = preemption_of(row.site, row.run, epochs_between(matrix, point), queue);
    row.wait = waits ? waits->wait_of(row.site, row.limit_s) : no_wait();
    set_result(row);
    advice.rows.push_back(std::move(row));
  }
  if (waits) {
    append(advice.notes, waits->notes());
  }
  advice.choice = choose(advice.rows, request.wishes);
  advice.pilots = worthwhile_pilots(advice.rows);
  return advice;
}

}  // namespace epochcast::jobs
