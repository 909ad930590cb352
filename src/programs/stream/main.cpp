// epochcast-stream: the producer of a stream, and what a consumer has answered.
#include <fmt/format.h>

#include "src/base/cli/report.hpp"
#include "src/base/cli/subcommand.hpp"
#include "src/base/core/csv.hpp"
#include "src/base/core/spreadsheet.hpp"
#include "src/measure/attempt/signals.hpp"
#include "src/serving/stream/journal.hpp"
#include "src/serving/stream/producer.hpp"
#include "src/serving/stream/transport.hpp"

namespace epochcast::stream {
namespace {

cli::CommandSpec produce_spec() {
  cli::CommandSpec spec{
      .usage = "epochcast-stream produce --to=LOCATION --items=ITEMS [options]",
      .summary =
          "Releases batches of items at fixed times, as the study's producer does. A producer that "
          "is started again goes on where the one before it ended.",
      .example = "epochcast-stream produce --to=folder:stream --items=random --every=1s",
      .options = {{.name = "to",
                   .value = "LOCATION",
                   .meaning = "Where batches go: " + transport_forms() +
                              "; @FILE: read the location from this file"},
                  {.name = "items",
                   .value = "ITEMS",
                   .meaning = "What is sent: a folder with CIFAR-10, a file in the format of a "
                              "batch, or random (pictures of random pixels)",
                   .default_value = "random"},
                  {.name = "source",
                   .value = "NAME",
                   .meaning = "Name of the stream",
                   .default_value = "batch"},
                  {.name = "seed",
                   .value = "integer",
                   .meaning = "Seed of the choice of items",
                   .default_value = "1"}}};
  for (auto& option : cli::options_of_fields<run::ProduceOptions>()) {
    spec.options.push_back(std::move(option));
  }
  return spec;
}

int produce_command(const cli::Arguments& arguments) {
  run::ProduceOptions options;
  cli::set_fields_from(options, arguments);
  std::int64_t seed = 0;
  cli::read_option(arguments, "seed", seed, "");
  const auto source = arguments.get("source");
  if (source.empty() || source.find_first_of("/\n") != std::string::npos || source[0] == '.') {
    throw Error(fmt::format("--source: found '{}', expected a name of a file", source));
  }
  const auto& stop = attempt::install_stop_signals();
  const auto items = open_items(arguments.get("items"));
  const auto target = open_target(arguments.get("to"), {"", source, options.window});
  const SteadyClock clock;
  const bool all =
      produce({.items = *items,
               .target = *target,
               .clock = clock,
               .options = options,
               .source = source,
               .seed = seed,
               .stop = [&] { return stop.signal() != 0; },
               .on_release =
                   [&](std::int64_t id, std::int64_t size) {
                     fmt::print("released batch {} of '{}': {} items\n", id, source, size);
                     std::fflush(stdout);
                   }});
  return all ? exit_done : exit_stopped;
}

cli::CommandSpec results_spec() {
  return {.usage = "epochcast-stream results JOURNAL",
          .summary =
              "Prints the answers in a journal as CSV, in the order in which batches were answered",
          .example = "epochcast-stream results work/stream/stream.sqlite > answers.csv",
          .options = {},
          .positional = "JOURNAL"};
}

int results_command(const cli::Arguments& arguments) {
  if (arguments.positional().size() != 1) {
    throw Error("expected one JOURNAL; usage: " + results_spec().usage);
  }
  const auto rows = read_results(arguments.positional()[0]);
  fmt::print("sequence,source,batch_id,position,class,score,label,refused\n");
  for (const auto& row : rows) {
    fmt::print("{}", csv_line({std::to_string(row.sequence), spreadsheet_text(row.source),
                               std::to_string(row.batch_id), std::to_string(row.position),
                               spreadsheet_text(row.chosen), fmt::format("{:.6f}", row.score),
                               row.label < 0 ? "" : std::to_string(row.label),
                               spreadsheet_text(row.refused)}));
  }
  return exit_done;
}

cli::Program program() {
  return {.name = "epochcast-stream",
          .summary =
              "The producer of a stream of texts or pictures, and the answers to it. The consumer "
              "is 'epochcast-train stream'.",
          .commands = {{"produce", produce_spec(), produce_command},
                       {"results", results_spec(), results_command}}};
}

}  // namespace
}  // namespace epochcast::stream

int main(int argc, char** argv) {
  return epochcast::run_program("epochcast-stream", [&] {
    return epochcast::cli::run_subcommand(epochcast::stream::program(), {argv + 1, argv + argc});
  });
}
