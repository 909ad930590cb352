// When a program is asked to save its state before the time limit of its job.
#pragma once

#include <algorithm>

namespace epochcast::run {

constexpr double default_checkpoint_lead_s = 120;

/// Seconds before the end of a job that lasts `job_s`: `asked_s`; for 0 the default, but at most a
/// quarter of the job.
inline double checkpoint_lead_s(double asked_s, double job_s) {
  constexpr double largest_share = 0.25;
  return asked_s > 0 ? asked_s
                     : std::min(default_checkpoint_lead_s, largest_share * std::max(0.0, job_s));
}

}  // namespace epochcast::run
