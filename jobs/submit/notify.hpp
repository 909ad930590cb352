// Sends the message of `notify:` when the experiment of a folder has ended: once, whoever sees it
// first.
#pragma once

#include <functional>
#include <string>

#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// For a command that reads the states of a folder: sends the message if all points that were
/// submitted or run have ended, none can have a further attempt, and nobody has sent it. Never
/// throws; `tell` gets a line for what was sent and for each problem.
void notify_if_ended(const std::string& out, const std::function<void(const std::string&)>& tell);

/// The same for the script of a job that has ended its program (EPOCHCAST_ENDED): waits up to
/// minutes for other jobs that are ending too, so that the last of them sends it. Returns false if
/// something could not be sent, or the controller does not answer.
[[nodiscard]] bool notify_at_end(const std::string& out,
                                 const std::function<void(const std::string&)>& tell);

/// Sends a message about the states as they are now, marked as a test. Returns false if something
/// could not be sent. Throws Error if nothing is declared.
[[nodiscard]] bool notify_test(const std::string& out,
                               const std::function<void(const std::string&)>& tell);

}  // namespace epochcast::jobs
