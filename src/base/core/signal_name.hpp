// Names of signals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epochcast {

/// "SIGUSR1"; "signal 34" for a signal without a name.
std::string signal_name(int signal);

/// The signal of "USR1", "SIGUSR1" or "10"; std::nullopt for any other text.
std::optional<int> signal_number(std::string_view text);

}  // namespace epochcast
