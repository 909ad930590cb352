#include "jobs/plan/history_plan.hpp"

#include <fmt/format.h>

#include <cmath>

#include "jobs/campaign/relocation.hpp"
#include "jobs/submit/submit.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::jobs {

PlanReport plan_from_history(const PlanRequest& request, const PastJobs& past, const Tell& tell) {
  const OutFolder out(request.generate.out);
  require_made_here(out);
  const auto matrix = read_matrix(request.generate);
  if (matrix.cluster.is_local()) {
    throw Error(
        fmt::format("--history: needs a cluster with Slurm; '{}' has none", matrix.cluster.name));
  }
  if (!read_plan(out).empty()) {
    throw Error(
        fmt::format("--history: {} has a plan with pilots; use another folder", out.root.string()));
  }
  write_matrix(request.generate, matrix);
  SubmitRequest submission{.out = out.root,
                           .filters = {},
                           .points = {},
                           .dry_run = request.dry_run,
                           .array = false,
                           .throttle = request.throttle};
  auto open = open_forecasts(out);
  std::vector<ledger::LedgerRow> fresh;
  for (const auto& point : matrix.points) {
    auto [place, is_new] = open.try_emplace(point.id);
    auto& row = place->second;
    if (is_new) {
      row = limit_from_history(past, point, profile_of(matrix.cluster, point.allocation), out.root);
      row.made_at = iso8601();
      row.out = out.root;
      row.experiment = matrix.experiment.name;
      row.cluster = matrix.cluster.name;
      fresh.push_back(row);
    }
    tell(fmt::format("{}: {}", point.id, forecast_text(row)));
    submission.points.push_back(point.id);
    if (!std::isnan(row.asked_s)) {
      submission.limits[point.id] = {row.asked_s};
    }
  }
  if (!request.dry_run) {
    put_in_ledgers(out, fresh, tell);
  }
  const auto submitted = submit(submission);
  return {.pilots = 0,
          .points = matrix.points.size(),
          .is_local = false,
          .commands = submitted.commands,
          .problems = submitted.problems};
}

}  // namespace epochcast::jobs
