// Cancels the jobs of points.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/status.hpp"

namespace epochcast::jobs {

/// Why the job of a point cannot be cancelled; empty: it can be.
std::string why_not_cancelled(const PointStatus& point);

/// The same for some of the points of OUT: a job of several points is cancelled for all that wait
/// or run in it, or not at all.
std::string why_not_cancelled(const PointStatus& point, const std::vector<PointStatus>& chosen,
                              const std::vector<PointStatus>& all);

/// Whether a job that runs may save its state first.
enum class Cancel { after_saving, at_once };

/// Cancels the job of a point that waits or runs. One that runs is asked to save and stop, as
/// before its time limit, and has the lead of that signal (signal_lead) for it: scancel alone would
/// end all its processes at once, in an order that decides what is left. Returns an error in one
/// line; empty if Slurm accepted the request.
[[nodiscard]] std::string cancel(const OutFolder& out, const PointStatus& point, Cancel how);

}  // namespace epochcast::jobs
