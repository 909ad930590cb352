// This host.
#pragma once

#include <string>

namespace epochcast {

/// As `uname -n` prints it.
std::string host_name();

}  // namespace epochcast
