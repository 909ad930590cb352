// Points whose attempt ended without what was wanted, once more.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/status.hpp"
#include "jobs/submit/submit.hpp"

namespace epochcast::jobs {

/// Which points are meant.
struct ResubmitFilter {
  bool failed = false;   ///< The trainer failed.
  bool timeout = false;  ///< Stopped early with a checkpoint, or killed at the time limit.
  /// Ended without a result of its own: node lost, cancelled, no record at all.
  bool missing = false;
  bool tainted = false;  ///< Complete, but not to be compared.
};

struct ResubmitReport {
  std::vector<PointStatus> points;  ///< What was chosen, in its state before.
  SubmitReport submitted;  ///< Empty for a cluster without a scheduler: `run` takes them up.
};

/// Whether a point in this state is meant.
bool is_wanted(const PointStatus& point, const ResubmitFilter& wanted);
/// Whether its next attempt goes on from what it left, a checkpoint or answers. A tainted one
/// begins anew, and a failed training; a failed inference has answered what it has answered.
bool is_resumable(const PointStatus& point);

/// Moves the claims of the dead attempts aside and submits their points again: same script, same
/// seed. Throws RunError where the controller does not answer, as then no attempt is known to be
/// dead.
ResubmitReport resubmit(const SubmitRequest& request, const ResubmitFilter& wanted);

}  // namespace epochcast::jobs
