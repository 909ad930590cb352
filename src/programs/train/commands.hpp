// The commands of epochcast-train that answer with a network.
#pragma once

#include "src/base/cli/command_line.hpp"

namespace epochcast::libtorch {

cli::CommandSpec serve_spec();

/// Serves over HTTP until SIGTERM, SIGUSR1 or SIGINT, and then drains. Returns the exit status:
/// exit_failed if a request was received but not answered.
int serve_command(const cli::Arguments& arguments);

cli::CommandSpec stream_spec();

/// Answers the batches of a stream until it ends or SIGTERM, SIGUSR1 or SIGINT, and writes one
/// record. Returns the exit status: exit_stopped if the stream goes on.
int stream_command(const cli::Arguments& arguments);

}  // namespace epochcast::libtorch
