// epochcast-train serve: answers requests over HTTP with a network.
#pragma once

#include "src/base/cli/command_line.hpp"

namespace epochcast::libtorch {

cli::CommandSpec serve_spec();

/// Serves until SIGTERM, SIGUSR1 or SIGINT, and then drains. Returns the exit status: exit_failed
/// if a request was received but not answered.
int serve_command(const cli::Arguments& arguments);

}  // namespace epochcast::libtorch
