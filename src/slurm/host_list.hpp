// Host lists in Slurm's notation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast::slurm {

/// Expands a host list: "t4-[01-03,07],login" gives t4-01, t4-02, t4-03, t4-07 and login. A name
/// with several brackets gives all combinations. Throws Error if brackets or ranges are malformed.
std::vector<std::string> expand_host_list(std::string_view text);

}  // namespace epochcast::slurm
