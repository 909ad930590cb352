// A consumer with a network whose answers are known, for tests: the same as `epochcast-train
// stream` otherwise. --early=true makes the mistake of EarlyJournal.
#include <signal.h>

#include "src/base/cli/command_line.hpp"
#include "src/serving/stream/attempt.hpp"
#include "tests/src/serving/stream/early_journal.hpp"
#include "tests/src/serving/stream/known_predictor.hpp"

namespace epochcast::stream {
namespace {

cli::CommandSpec spec() {
  cli::CommandSpec spec{.usage = "known_consumer --from=LOCATION [options]",
                        .summary = "Answers a stream with known answers",
                        .example = "known_consumer --from=folder:stream",
                        .options = consume_options()};
  spec.options.push_back({.name = "kind", .value = "text", .meaning = "text or picture"});
  spec.options.back().default_value = "text";
  spec.options.push_back(
      {.name = "pass", .value = "s", .meaning = "Time of a forward pass", .default_value = "0s"});
  spec.options.push_back({.name = "early",
                          .value = "flag",
                          .meaning = "Record the progress first",
                          .default_value = "false"});
  return spec;
}

int run(const std::vector<std::string>& words) {
  const SteadyClock clock;
  const auto& stop = attempt::install_stop_signals();
  const auto arguments = cli::parse_command_line(spec(), words);
  const auto config = consume_config_from(arguments);
  Seconds pass;
  cli::read_option(arguments, "pass", pass, "");
  bool early = false;
  cli::read_option(arguments, "early", early, "");
  const auto kind = arguments.get("kind") == "picture" ? serve::Kind::picture : serve::Kind::text;
  OpenSink open_sink;
  if (early) {
    open_sink = [](const auto& path, const auto& classes) {
      return std::make_unique<EarlyJournal>(path, classes, 10);
    };
  }
  return run_consume_attempt(
      config,
      {.parameters = {{"model", "known", "text", "1"}},
       .make = [&] { return std::make_unique<KnownPredictor>(kind, pass.value); }},
      clock, stop, open_sink);
}

}  // namespace
}  // namespace epochcast::stream

int main(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // a limit of the size of files then looks like a full disk
  return epochcast::run_program("known_consumer", [&] {
    return epochcast::stream::run({argv + 1, argv + argc});
  });
}
