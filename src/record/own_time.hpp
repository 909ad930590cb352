// The time of a step without the wait for other ranks.
#pragma once

#include "src/record/record.hpp"

namespace epochcast::record {

/// Seconds of a step that its rank did not spend waiting for other ranks: data and computation. On
/// a GPU the computation is measured with device events, because the host only queues it.
inline double own_time_s(const Iteration& step) {
  const double computing_s = step.device_s > 0 ? step.device_s : step.step_s;
  return step.wait_s + computing_s - step.gradient_sync_wait_s;
}

}  // namespace epochcast::record
