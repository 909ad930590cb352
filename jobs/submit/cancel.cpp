#include "jobs/submit/cancel.hpp"

#include <algorithm>

#include "jobs/campaign/journal.hpp"
#include "jobs/scheduler/local.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"

namespace epochcast::jobs {
namespace {

/// The default if the folder's profile is not readable, which must not keep a job alive.
double patience_s(const OutFolder& out, const PointStatus& point) {
  try {
    return profile_of(read_origin(out).cluster, point.allocation).launch.signal_lead.value;
  } catch (const Error&) {
    return Launch{}.signal_lead.value;
  }
}

}  // namespace

std::string why_not_cancelled(const PointStatus& point) {
  if (!is_active(point.state)) {
    return "has no job that waits or runs";
  }
  return is_local_job(point.job) ? "runs without a scheduler; stop 'epochcast-jobs run' with Ctrl-C"
                                 : "";
}

bool goes_on(const PointStatus& point, const std::vector<PointStatus>& chosen,
             const std::vector<PointStatus>& all) {
  const auto in_job = [&](const PointStatus& other) {
    return other.job_name == point.job_name && is_active(other.state);
  };
  return point.points_of_job > 1 &&
         std::ranges::count_if(all, in_job) > std::ranges::count_if(chosen, in_job);
}

std::string cancel(const OutFolder& out, const std::vector<PointStatus>& points, Cancel how) {
  std::vector<std::string> names;
  for (const auto& point : points) {
    names.push_back(point.point);
  }
  Journal journal(out.journal());
  journal.cancelled(names);
  const auto& point = points.front();
  const auto problem = how == Cancel::after_saving && point.state == PointState::running
                           ? scheduler().ask_to_stop(point.job_name, patience_s(out, point))
                           : scheduler().cancel(point.job_name);
  if (!problem.empty()) {
    journal.kept(names);
  }
  return problem;
}

std::string cancel_alone(const OutFolder& out, const PointStatus& point, Cancel how) {
  Journal journal(out.journal());
  const auto submission = journal.submissions().find(point.job);
  if (submission == journal.submissions().end()) {
    return "it is not a job of this folder";
  }
  const auto folder = out.cancelled(submission->second.token);
  journal.cancelled({point.point}, point.job);
  make_folder(folder);
  write_file(folder / point.point, how == Cancel::at_once ? "at_once\n" : "saves\n");
  return "";
}

}  // namespace epochcast::jobs
