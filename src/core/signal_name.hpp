// Signals by the names that people know.
#pragma once

#include <string>

namespace epochcast {

/// "SIGUSR1"; "signal 34" for one without a name.
std::string signal_name(int signal);

}  // namespace epochcast
