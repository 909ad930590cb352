#include "jobs/submit/cancel.hpp"

namespace epochcast::jobs {

std::string why_not_cancelled(const PointStatus& point) {
  if (!is_active(point.state)) {
    return "has no job that waits or runs";
  }
  return point.job.starts_with("local-")
             ? "runs without a scheduler; stop 'epochcast-jobs run' with Ctrl-C"
             : "";
}

}  // namespace epochcast::jobs
