// Names of signals.
#pragma once

#include <string>

namespace epochcast {

/// "SIGUSR1"; "signal 34" for a signal without a name.
std::string signal_name(int signal);

}  // namespace epochcast
