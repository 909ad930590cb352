#include "src/measure/attempt/signals.hpp"
#include "src/programs/train/commands.hpp"
#include "src/serving/service/run_service.hpp"
#include "src/training/torch/run/predictor.hpp"

namespace epochcast::libtorch {

cli::CommandSpec serve_spec() {
  cli::CommandSpec spec{
      .usage =
          "epochcast-train serve --model NAME --weights PATH [options] [--model.OPTION=VALUE] "
          "[--dataset.OPTION=VALUE]",
      .summary = "Answers requests over HTTP with the classes of texts or pictures",
      .example = "epochcast-train serve --model=distilbert --weights=my-model --dataset=sst2",
      .options = predictor_options(),
      .open_prefixes = run::option_prefixes()};
  const auto of_service = serve::service_options();
  spec.options.insert(spec.options.end(), of_service.begin(), of_service.end());
  return spec;
}

int serve_command(const cli::Arguments& arguments) {
  const auto& stop = attempt::install_stop_signals();
  auto options = serve::read_service_options(arguments);
  const auto settings = read_predictor_settings(arguments);
  const auto opened = open_predictor(settings);
  if (!options.serve.redis.empty()) {  // a cache of its own has the answers of one model
    options.model = digest_of_model(settings.config);
  }
  const auto end =
      serve::run_service(*opened.predictor, options, [&] { return stop.signal() != 0; });
  return end.unanswered == 0 ? exit_done : exit_failed;
}

}  // namespace epochcast::libtorch
