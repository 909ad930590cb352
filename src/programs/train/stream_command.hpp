// epochcast-train stream: answers the batches of a stream with a network.
#pragma once

#include "src/base/cli/command_line.hpp"

namespace epochcast::libtorch {

cli::CommandSpec stream_spec();

/// Answers until the stream ends or SIGTERM, SIGUSR1 or SIGINT, and writes one record. Returns the
/// exit status: exit_stopped if the stream goes on.
int stream_command(const cli::Arguments& arguments);

}  // namespace epochcast::libtorch
