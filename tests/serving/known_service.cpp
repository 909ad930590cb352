// known_service: a service whose micro-batches take a known time. Ends, drained, on SIGTERM,
// SIGUSR1 or SIGINT.
#include <fmt/format.h>

#include "src/base/cli/command_line.hpp"
#include "src/serving/service/run_service.hpp"
#include "tests/serving/known_predictor.hpp"
#include "tests/serving/stop_signals.hpp"

namespace epochcast::serve {
namespace {

int serve(const std::vector<std::string>& words) {
  const std::function<bool()> stop = stop_on_signals();
  cli::CommandSpec spec{.usage = "known_service [options]",
                        .summary = "Answers as a network of known cost would",
                        .example = "known_service --port 0 --address-file address --a 10ms --c 1ms",
                        .options = service_options()};
  spec.options.push_back({"a", "duration", "Time of a micro-batch", "10ms"});
  spec.options.push_back({"c", "duration", "Further time of each of its inputs", "1ms"});
  const auto arguments = cli::parse_command_line(spec, words);
  if (arguments.has("help")) {
    fmt::print("{}", cli::help_text(spec));
    return exit_done;
  }
  Seconds batch;
  Seconds input;
  cli::read_option(arguments, "a", batch, ">=0");
  cli::read_option(arguments, "c", input, ">=0");
  KnownPredictor predictor(batch.value, input.value);
  auto options = read_service_options(arguments);
  options.model = fmt::format("known {} {}", batch.value, input.value);
  return run_service(predictor, options, stop).unanswered == 0 ? exit_done : exit_failed;
}

}  // namespace
}  // namespace epochcast::serve

int main(int argc, char** argv) {
  return epochcast::run_program("known_service", [&] {
    return epochcast::serve::serve({argv + 1, argv + argc});
  });
}
