#include "jobs/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/status.hpp"
#include "jobs/plan/planned.hpp"
#include "jobs/plan/time_limit.hpp"
#include "jobs/plan/update_limits.hpp"
#include "jobs/plan/waiting_runs.hpp"
#include "jobs/submit/resubmit.hpp"
#include "jobs/submit/submit.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/install.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

class Planner {
 public:
  Planner(const PlanRequest& request, const Tell& tell)
      : request_(request), tell_(tell), out_(request.generate.out) {}

  PlanReport run() {
    require_made_here(out_);  // a copy has the ledger and journal of the other folder
    if (request_.part != PlanPart::full_runs) {
      write();
      if (report_.is_local) {
        return report_;
      }
      submit_pilots();
    }
    if (request_.part != PlanPart::pilots) {
      forecast_and_submit_full();
    }
    return report_;
  }

 private:
  void forecast_and_submit_full() {
    for (const auto& pilot :
         request_.dry_run ? std::vector<std::string>{} : pilots_without_forecast(out_)) {
      add_problems(update_limits(out_.root, pilot, tell_));
    }
    submit_full();
    if (!request_.dry_run) {
      // A pilot that ended before the full runs were submitted could not change their jobs.
      add_problems(update_pending_jobs(out_, tell_));
    }
  }

  void write() {
    auto matrix = read_matrix(request_.generate);
    auto pilots = pilots_for(matrix.points, matrix.cluster, request_.size);
    report_.is_local = matrix.cluster.is_local();
    report_.points = matrix.points.size();
    report_.pilots = pilots.points.size();
    tell_sharing(matrix, pilots);
    if (report_.is_local && request_.dry_run) {
      return;
    }
    write_matrix(request_.generate, matrix);
    const auto step =
        fmt::format("{} update-limits {} \"$point\"", shell_quote(program_beside("epochcast-jobs")),
                    shell_quote(out_.root.string()));
    auto generate = request_.generate;
    generate.out = out_.pilots();
    matrix.points = std::move(pilots.points);
    matrix.cluster.allocations = std::move(pilots.sites);
    write_matrix(generate, matrix, step);
    auto plan = read_plan(out_);  // earlier points stay
    for (auto& [point, pilot] : pilots.plan) {
      plan[point] = std::move(pilot);
    }
    write_file(out_.plan(), plan_text(plan));
  }

  /// Settings such as a learning rate rarely change how long an epoch takes, but only the user
  /// knows.
  void tell_sharing(const Matrix& matrix, const Pilots& pilots) const {
    const auto& program = matrix.experiment.program;
    std::map<std::string, std::size_t> pilots_of;
    for (const auto& pilot : pilots.points) {
      ++pilots_of[pilot.allocation];
    }
    std::vector<std::string> names;
    for (const auto& axis : matrix.experiment.sweep) {
      std::ranges::copy_if(axis.names, std::back_inserter(names), [](const std::string& name) {
        return name != "epochs" && name != "steps" && name != "seed";
      });
    }
    if (program.is_given() && program.pilot.share.empty() &&
        pilots.points.size() > pilots_of.size()) {
      tell_(
          fmt::format("{}: one for each value of {}; those that do not change how long an epoch "
                      "takes can share one, as with 'pilot: {{share: [{}]}}'",
                      counted(pilots.points.size(), "pilot"), join(names, ", "),
                      names.empty() ? "lr" : names.front()));
    }
  }

  SubmitRequest submission(const std::filesystem::path& out) const {
    return {.out = out,
            .filters = {},
            .points = {},
            .dry_run = request_.dry_run,
            .array = false,
            .throttle = request_.throttle};
  }

  void add_problems(const std::vector<std::string>& problems) {
    report_.problems.insert(report_.problems.end(), problems.begin(), problems.end());
  }

  void take(const SubmitReport& report) {
    report_.commands.insert(report_.commands.end(), report.commands.begin(), report.commands.end());
    std::ranges::for_each(report.notes, tell_);
    add_problems(report.problems);
  }

  /// Submits the points in `again` once more, then all that were never submitted.
  void submit_all(const SubmitRequest& request, const std::vector<std::string>& again) {
    if (!again.empty()) {
      auto once_more = request;
      once_more.points = again;
      const ResubmitFilter any{.failed = true, .timeout = true, .missing = true};
      take(resubmit(once_more, any).submitted);
    }
    take(submit(request));
  }

  void submit_pilots() {
    auto alone = submission(out_.pilots());  // a full run may wait for its own pilot only
    alone.pack = false;
    std::vector<std::string> again;
    for (const auto& pilot : status_with_lost_closed(out_.pilots().string()).points) {
      if (ended_without_result(pilot.state)) {
        again.push_back(pilot.point);
      }
    }
    submit_all(alone, again);
  }

  void submit_full() {
    auto request = submission(out_.root);
    const auto jobs = Journal(OutFolder(out_.pilots()).journal()).jobs();
    const auto cluster = read_origin(out_).cluster;
    const auto forecasts = open_forecasts(out_);
    const auto failed = request_.part == PlanPart::full_runs ? without_pilot(out_)
                                                             : std::map<std::string, std::string>{};
    for (const auto& [point, pilot] : read_plan(out_)) {
      if (const auto row = forecasts.find(point); row != forecasts.end()) {
        ask_as_forecast(row->second, cluster, request);
      } else if (const auto why = failed.find(point); why != failed.end()) {
        report_.problems.push_back(fmt::format("{} was not submitted: {}", point, why->second));
        continue;
      } else if (const auto job = jobs.find(pilot); job != jobs.end()) {
        request.after[point] = job->second;
      } else if (request_.dry_run) {
        request.after[point] = "JOB-OF-" + pilot;
      } else {
        report_.problems.push_back(
            fmt::format("{} was not submitted: its pilot {} has no job", point, pilot));
        continue;
      }
      request.points.push_back(point);
    }
    std::vector<std::string> again;
    for (const auto& point : status_with_lost_closed(out_.root.string()).points) {
      if (point.state == PointState::missing && point.record.empty()) {
        again.push_back(point.point);
      }
    }
    if (!request.points.empty()) {  // an empty list would mean all of them
      submit_all(request, again);
    }
  }

  const PlanRequest& request_;
  const Tell& tell_;
  OutFolder out_;
  PlanReport report_;
};

}  // namespace

PlanReport plan(const PlanRequest& request, const Tell& tell) {
  return Planner(request, tell).run();
}

}  // namespace epochcast::jobs
