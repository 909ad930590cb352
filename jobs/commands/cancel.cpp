#include "jobs/submit/cancel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/status.hpp"
#include "jobs/commands/commands.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

int run_cancel(const cli::Arguments& arguments) {
  const OutFolder out(only_word(arguments, "OUT"));
  require_made_here(out);
  const auto how = arguments.has("now") ? Cancel::at_once : Cancel::after_saving;
  auto report = status_with_lost_closed(out.root, arguments.all("filter"));
  if (!report.scheduler_problem.empty()) {
    throw RunError(fmt::format("the controller does not answer ({}); no job was cancelled",
                               report.scheduler_problem));
  }
  const bool in_packs = std::ranges::any_of(
      report.points, [](const PointStatus& point) { return point.points_of_job > 1; });
  const auto all = in_packs ? status(out.root.string()).points : report.points;
  if (in_packs) {  // a job runs if one of its points does
    std::ranges::stable_partition(
        report.points, [](const PointStatus& point) { return point.state == PointState::running; });
  }
  std::set<std::string> asked;  // jobs
  std::size_t cancelled = 0, alone = 0, failed = 0;
  for (const auto& point : report.points) {
    if (!is_active(point.state)) {
      continue;
    }
    if (const auto obstacle = why_not_cancelled(point); !obstacle.empty()) {
      cli::report(fmt::format("{}: {}", point.point, obstacle));
      ++failed;
      continue;
    }
    const bool saves = how == Cancel::after_saving && point.state == PointState::running;
    const bool is_alone = goes_on(point, report.points, all);
    fmt::print("{} {} was {}{}{}\n", point.job_name, point.point, to_text(point.state),
               saves ? ", saves and stops" : "", is_alone ? "; its job goes on with others" : "");
    if (!is_alone && !asked.insert(point.job_name).second) {
      continue;  // its job runs several points
    }
    std::vector<PointStatus> of_job;
    std::ranges::copy_if(report.points, std::back_inserter(of_job), [&](const PointStatus& other) {
      return other.job_name == point.job_name && is_active(other.state);
    });
    const auto error = arguments.has("dry-run") ? ""
                       : is_alone               ? cancel_alone(out, point, how)
                                                : jobs::cancel(out, of_job, how);
    if (!error.empty()) {
      cli::report(
          fmt::format("{}: job {} was not cancelled: {}", point.point, point.job_name, error));
    }
    ++(!error.empty() ? failed : is_alone ? alone : cancelled);
  }
  const auto points =
      alone > 0 ? fmt::format(" and {} of jobs that go on", counted(alone, "point")) : "";
  cli::report(fmt::format("{}{} {}", counted(cancelled, "job"), points,
                          arguments.has("dry-run") ? "would be cancelled" : "cancelled"));
  return failed == 0 ? exit_done : exit_failed;
}

}  // namespace

cli::Subcommand cancel_command() {
  return {"cancel",
          {.usage = "epochcast-jobs cancel OUT [--filter COLUMN=VALUE] [--now] [--dry-run]",
           .summary = "Cancels the pending and running jobs of OUT; running ones save first",
           .example = "epochcast-jobs cancel out --filter allocation=t4",
           .options = {filter_option(),
                       {"now", "", "End running jobs at once; what they did not save is lost"},
                       {"dry-run", "", "Print the jobs; cancel none"}},
           .positional = "OUT"},
          run_cancel};
}

}  // namespace epochcast::jobs
