// What a program's command line, as it would be typed, does not mean in an experiment.
#pragma once

#include <string>
#include <vector>

namespace epochcast::jobs {

/// What to know of a command that was given in `folder`: a script whose #SBATCH lines have no
/// effect, words that only a shell would replace. Throws Error if it submits a job itself (sbatch,
/// qsub, ...): with the command to give instead, where the job's script in `folder` shows it.
std::vector<std::string> command_notes(const std::vector<std::string>& words,
                                       const std::string& folder);

}  // namespace epochcast::jobs
