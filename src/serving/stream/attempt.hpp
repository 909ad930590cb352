// One attempt at answering a stream, with its record: the body of `epochcast-train stream`, and of
// every other program that has a Predictor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/base/cli/command_line.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/fields.hpp"
#include "src/measure/attempt/signals.hpp"
#include "src/record/run/parameter.hpp"
#include "src/record/run/run_config.hpp"
#include "src/record/run/streaming.hpp"
#include "src/serving/stream/sink.hpp"
#include "src/training/loop/predictor.hpp"

namespace epochcast::stream {

/// Where the stream comes from and where the answers go.
struct ConsumePlaces {
  std::string from;
  std::string journal;
  std::string address_file;
  Seconds takeover = {10};
};

constexpr auto fields_of(Tag<ConsumePlaces>) {
  return FieldTable{
      Field{"from", "1", "Where batches come from: folder:PATH or tcp://HOST:PORT",
            &ConsumePlaces::from},
      Field{"journal", "1",
            "File with the answers and the progress (empty: stream.sqlite in the work folder of "
            "the point)",
            &ConsumePlaces::journal},
      Field{"address_file", "1",
            "File to write the address to at which producers reach this consumer (tcp; empty: "
            "none)",
            &ConsumePlaces::address_file},
      Field{"takeover", "s", "Time to wait for a consumer that still uses the journal",
            &ConsumePlaces::takeover, ">=0"},
  };
}

struct ConsumeConfig {
  run::ConsumeOptions options;
  ConsumePlaces places;
  run::RunOutput output;  ///< With a point.
};

/// The options of a command that consumes, besides those of its network.
std::vector<cli::Option> consume_options();

/// Throws Error if there is no --from, or a value is not allowed. An empty --point becomes
/// "stream".
ConsumeConfig consume_config_from(const cli::Arguments& arguments);

/// What a program adds to answer a stream.
struct ConsumeNetwork {
  run::Parameters parameters;  ///< Of the network, for the record.
  bool on_gpu = false;
  std::int64_t threads = 1;
  std::string libraries;  ///< "LibTorch 2.11.0".
  /// Called after the record is created, so that a network that cannot be loaded has one.
  std::function<std::unique_ptr<serve::Predictor>()> make;
};

/// Opens the journal with these classes.
using OpenSink = std::function<std::unique_ptr<Sink>(const std::string& path,
                                                     const std::vector<std::string>& classes)>;

/// Creates the record, answers until the end of the stream or a request to stop, and closes the
/// record: complete, stopped (exit_stopped) or failed. A failure is recorded and then thrown.
/// `open_sink`: instead of a Journal, for tests.
[[nodiscard]] ExitStatus run_consume_attempt(const ConsumeConfig& config,
                                             const ConsumeNetwork& network, const Clock& clock,
                                             const attempt::StopFlag& stop,
                                             const OpenSink& open_sink = {});

}  // namespace epochcast::stream
