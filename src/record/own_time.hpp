// What of a step is its rank's own.
#pragma once

#include "src/record/record.hpp"

namespace epochcast::record {

/// Seconds of a step that its rank did not wait for others: data and computation, on a GPU by the
/// device's events, since the host only queues there.
inline double own_time_s(const Iteration& step) {
  const double computing_s = step.device_s > 0 ? step.device_s : step.step_s;
  return step.wait_s + computing_s - step.gradient_sync_wait_s;
}

}  // namespace epochcast::record
