#include "analysis/predict/predict.hpp"

#include "analysis/commands/commands.hpp"
#include "src/core/error.hpp"
#include "src/table/output.hpp"

namespace epochcast::analysis {
namespace {

/// Options of other questions are refused: they would change nothing.
void require_own_options(const cli::Arguments& arguments) {
  const bool on_more = arguments.has("gpus") || arguments.has("cpus");
  if (arguments.has("nodes") && !on_more) {
    throw Error("--nodes: goes with --gpus or --cpus");
  }
  for (const std::string name : {"from", "history"}) {
    if (arguments.has(name) && !arguments.has("on")) {
      throw Error("--" + name + ": goes with --on");
    }
  }
  for (const std::string question : {"on", "crossover"}) {
    if (arguments.has("epochs") && arguments.has(question)) {
      throw Error("--epochs: does not go with --" + question);
    }
  }
}

int run(const cli::Arguments& arguments) {
  const bool elsewhere = arguments.has("on");
  const bool crossover = arguments.has("crossover");
  const bool gpus = arguments.has("gpus");
  const bool cpus = arguments.has("cpus");
  if (elsewhere + crossover + gpus + cpus > 1) {
    throw Error(
        "--on, --gpus, --cpus and --crossover are questions of their own: give one of them");
  }
  require_own_options(arguments);
  const auto loaded = load_and_report(words_behind(arguments, 0, "RECORDS..."));
  const auto records = filtered(loaded.records, arguments.all("filter"));
  if (records.empty()) {
    throw Error("no record to predict from", loaded.records.empty() ? exit_failed : exit_bad_input);
  }
  auto answers = elsewhere      ? predict_elsewhere(records, arguments)
                 : crossover    ? predict_crossover(records)
                 : gpus || cpus ? predict_scaling(records, arguments)
                                : predict_epochs(records, arguments);
  table::write_tables(std::move(answers.tables), arguments);
  return answers.forecasts == 0 ? exit_failed : status_of(loaded);
}

}  // namespace

cli::Subcommand predict_command() {
  auto options = table::output_options();
  const std::vector<cli::Option> own{
      {"epochs", "N", "How long N epochs take; default: those that the record was to have"},
      {"gpus", "N", "On so many GPUs, from records on several numbers of them"},
      {"cpus", "N", "On so many CPUs, from records on several numbers of them"},
      {"nodes", "M", "--gpus, --cpus: on so many nodes; default: as many as any record"},
      {"crossover", "",
       "From which size of network on one allocation overtakes another, from three networks on "
       "each"},
      {"on", "DEVICE", "Another device: of the catalogue ('list'), or a file of measure-device"},
      {"from", "DEVICE", "--on: what the record was made on, where it does not say so"},
      {"history", "PATH",
       "--on: times on both devices: records, or CSV "
       "(workload,device,time_ms[,batch,precision,...])",
       "", true},
      {"filter", "NAME=VALUE", "Only records with this; two of one name mean either", "", true}};
  options.insert(options.begin(), own.begin(), own.end());
  return {
      "predict",
      {.usage = "epochcast-analyze predict RECORDS... [--epochs N] [--on DEVICE | --gpus N | "
                "--cpus N [--nodes M] | --crossover] [options]",
       .summary = "Forecasts what was recorded: for more epochs, on another device (what limits "
                  "a step first, then the ratio of the devices), with more workers",
       .example = "epochcast-analyze predict out/records/pilot.h5 --epochs 90",
       .options = std::move(options),
       .positional = "RECORDS..."},
      run};
}

}  // namespace epochcast::analysis
