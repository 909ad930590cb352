// The history: jobs of the accounting that have ended, in one CSV file.
#pragma once

#include <string>
#include <vector>

#include "src/slurm/accounted_job.hpp"

namespace epochcast::history {

/// The history in a folder: FOLDER/history.csv.
std::string history_of(const std::string& folder);

/// Whether the path is that of a history or its folder, not of a record: "x.csv", or a folder with
/// history.csv.
bool is_history(const std::string& path);

/// The jobs of a history, or of the one in a folder. A damaged line is omitted; `damaged` receives
/// one message "FILE:LINE: ..." per such line. Throws Error if there is no such file or if it is no
/// history.
std::vector<slurm::AccountedJob> read_history(const std::string& path,
                                              std::vector<std::string>* damaged = nullptr);

/// Adds jobs to the history in `folder` and returns its path. A job that it has already (cluster,
/// job and time of submission and start) is replaced. Creates the folder. Throws Error if the file
/// is no history, RunError if it cannot be written or if a line of it is damaged.
std::string add_to_history(const std::string& folder, const std::vector<slurm::AccountedJob>& jobs);

}  // namespace epochcast::history
