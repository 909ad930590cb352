// Slurm's short notation for many host names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast::slurm {

/// "t4-[01-03,07],login" as t4-01, t4-02, t4-03, t4-07, login; a name with several
/// brackets gives all combinations. Throws Error if brackets or ranges are malformed.
std::vector<std::string> expand_host_list(std::string_view text);

}  // namespace epochcast::slurm
