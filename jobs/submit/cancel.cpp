#include "jobs/submit/cancel.hpp"

#include "jobs/campaign/witness.hpp"

namespace epochcast::jobs {

std::string why_not_cancelled(const PointStatus& point) {
  if (!is_active(point.state)) {
    return "has no job that waits or runs";
  }
  return is_local_job(point.job) ? "runs without a scheduler; stop 'epochcast-jobs run' with Ctrl-C"
                                 : "";
}

}  // namespace epochcast::jobs
