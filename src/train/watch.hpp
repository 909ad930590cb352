// Any program run as a child: our standard streams are its own, and the wish to stop is passed on.
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// How a watched program ended.
struct WatchedEnd {
  int exit_status = 0;  ///< If it ended by itself.
  int signal = 0;       ///< The signal that ended it; 0: none.
  int passed_on = 0;    ///< The last signal that we got and passed on; 0: none.
};

/// Runs `words` (found by PATH, no shell between) to its end. SIGUSR1, SIGTERM, SIGHUP and SIGINT
/// do not end this process meanwhile but go to the program; an interrupt from the terminal has
/// reached it already. Throws Error "PROGRAM: cannot be started: reason".
WatchedEnd watch(const std::vector<std::string>& words);

/// "SIGUSR1".
std::string signal_name(int signal);

}  // namespace epochcast
