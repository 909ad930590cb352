#include "src/base/core/clock.hpp"
#include "src/measure/attempt/signals.hpp"
#include "src/programs/train/commands.hpp"
#include "src/serving/stream/attempt.hpp"
#include "src/training/torch/network/about.hpp"
#include "src/training/torch/run/predictor.hpp"

namespace epochcast::libtorch {

cli::CommandSpec stream_spec() {
  cli::CommandSpec spec{
      .usage =
          "epochcast-train stream --from LOCATION --model NAME --weights PATH [options] "
          "[--model.OPTION=VALUE] [--dataset.OPTION=VALUE]",
      .summary = "Answers the texts or pictures of a stream, each one once, and writes a record",
      .example =
          "epochcast-train stream --from=folder:stream --model=deit_tiny --weights=my-model "
          "--point=my-stream",
      .options = predictor_options(),
      .open_prefixes = run::option_prefixes(),
      .gone = {{"results", "'epochcast-stream results JOURNAL' prints the answers"}}};
  const auto of_stream = stream::consume_options();
  spec.options.insert(spec.options.end(), of_stream.begin(), of_stream.end());
  return spec;
}

int stream_command(const cli::Arguments& arguments) {
  const auto& stop = attempt::install_stop_signals();
  const auto stream = stream::consume_config_from(arguments);
  const auto settings = read_predictor_settings(arguments);
  const SteadyClock clock;
  return stream::run_consume_attempt(stream,
                                     {.parameters = run::to_parameters(settings.config),
                                      .on_gpu = settings.config.device == "cuda",
                                      .threads = settings.threads,
                                      .libraries = library_versions(),
                                      .make = [&] { return open_predictor(settings).predictor; }},
                                     clock, stop);
}

}  // namespace epochcast::libtorch
