// Slurm's short form for many host names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast::slurm {

/// "t4-[01-03,07],login" as t4-01, t4-02, t4-03, t4-07, login; several brackets in a name are
/// multiplied out. Throws Error where brackets or ranges are broken.
std::vector<std::string> expand_host_list(std::string_view text);

}  // namespace epochcast::slurm
