// Which version of the user's program a record was made with.
#pragma once

#include <string>
#include <vector>

namespace epochcast::runner {

/// The git commit of the folder that the script or program of `command` lies in, with "-dirty" if
/// its tracked files have changed since; "" if it is in no repository, or git does not answer. A
/// relative path is relative to `folder`.
std::string program_revision(const std::vector<std::string>& command, const std::string& folder);

}  // namespace epochcast::runner
