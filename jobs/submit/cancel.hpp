// Cancels the jobs of points.
#pragma once

#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/status.hpp"

namespace epochcast::jobs {

/// Why the job of a point cannot be cancelled; empty: it can be.
std::string why_not_cancelled(const PointStatus& point);

/// Whether the job of a point has others of `all` that wait or run, and that are not `chosen` to be
/// cancelled too: it goes on.
bool goes_on(const PointStatus& point, const std::vector<PointStatus>& chosen,
             const std::vector<PointStatus>& all);

/// Whether a job that runs may save its state first.
enum class Cancel { after_saving, at_once };

/// Cancels the job of points that wait or run, the first of them if any runs. One that runs is
/// asked to save and stop, as before its time limit, and has the lead of that signal (signal_lead)
/// for it: scancel alone would end all its processes at once, in an order that decides what is
/// left. Returns an error in one line; empty if Slurm accepted the request. The journal has it
/// before Slurm is asked, so that `retry:` leaves the point, whatever Slurm and the program make of
/// its end.
[[nodiscard]] std::string cancel(const OutFolder& out, const std::vector<PointStatus>& points,
                                 Cancel how);

/// The same for a point alone whose job goes on with others. The script of the job reads within
/// seconds what this writes: it ends the point if it runs, otherwise it does not begin it.
[[nodiscard]] std::string cancel_alone(const OutFolder& out, const PointStatus& point, Cancel how);

}  // namespace epochcast::jobs
