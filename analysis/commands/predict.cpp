#include "analysis/predict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/commands/commands.hpp"
#include "analysis/groups/undisturbed.hpp"
#include "analysis/predict/device_times.hpp"
#include "analysis/predict/length_asked.hpp"
#include "analysis/predict/schedule_asked.hpp"
#include "analysis/predict/surface_settings.hpp"
#include "analysis/records/disturbed.hpp"
#include "src/base/core/error.hpp"
#include "src/output/table/output.hpp"

namespace epochcast::analysis {
namespace {

/// Options of other questions are refused: they would change nothing.
void require_own_options(const cli::Arguments& arguments) {
  const bool on_more = arguments.has("gpus") || arguments.has("cpus");
  if (arguments.has("nodes") && !on_more) {
    throw Error("--nodes: needs --gpus or --cpus");
  }
  if (arguments.has("history") && !arguments.has("on")) {
    throw Error("--history: goes with --on");
  }
  if (arguments.has("from") && !arguments.has("on") && !arguments.has("crossover")) {
    throw Error("--from: goes with --on or --crossover");
  }
  if (arguments.has("sequence-length") && !arguments.has("tokens") && !arguments.has("samples")) {
    throw Error("--sequence-length: goes with --tokens or --samples");
  }
  if (arguments.has("may-differ") && !arguments.has("relatives")) {
    throw Error("--may-differ: goes with --relatives");
  }
  for (const std::string question : {"on", "gpus", "cpus", "batch-size", "input-length", "layout",
                                     "parameters", "crossover", "serving"}) {
    if (arguments.has("relatives") && arguments.has(question)) {
      throw Error("--relatives: cannot be combined with --" + question);
    }
  }
  if (arguments.has("apart") && !arguments.has("each")) {
    throw Error("--apart: goes with --each");
  }
  for (const std::string of_table : {"each", "fill", "pairs", "jobs"}) {
    for (const std::string other :
         {"epochs", "steps", "samples", "tokens", "until", "on", "gpus", "cpus", "batch-size",
          "input-length", "layout", "parameters", "relatives", "crossover", "serving", "filter",
          "fill", "pairs", "jobs"}) {
      if (arguments.has(of_table) && of_table != other && arguments.has(other)) {
        throw Error("--" + of_table + ": cannot be combined with --" + other);
      }
    }
  }
  for (const std::string name : {"load", "threshold", "arrivals", "time"}) {
    if (arguments.has(name) && !arguments.has("serving")) {
      throw Error("--" + name + ": goes with --serving");
    }
  }
  for (const std::string question : {"crossover", "serving"}) {
    for (const std::string name : {"epochs", "steps", "samples", "tokens", "until", "on", "gpus",
                                   "cpus", "batch-size", "input-length", "layout", "parameters"}) {
      if (arguments.has(name) && arguments.has(question)) {
        throw Error("--" + name + ": cannot be combined with --" + question);
      }
    }
  }
  for (const std::string name :
       {"eval-every", "eval-from", "checkpoint-every", "stops-at-target"}) {
    for (const std::string other : {"on", "gpus", "cpus", "batch-size", "input-length", "relatives",
                                    "crossover", "serving"}) {
      if (arguments.has(name) && arguments.has(other)) {
        throw Error("--" + name + ": cannot be combined with --" + other);
      }
    }
  }
  if (arguments.has("crossover") && arguments.has("serving")) {
    throw Error("--crossover and --serving are mutually exclusive");
  }
  if (arguments.has("gpus") && arguments.has("cpus")) {
    throw Error("--gpus and --cpus are mutually exclusive");
  }
  require_one_length(arguments);
  for (const std::string name : {"samples", "tokens", "until"}) {
    for (const std::string other : {"on", "batch-size", "input-length", "layout"}) {
      if (arguments.has(name) && arguments.has(other)) {
        throw Error("--" + name + ": cannot be combined with --" + other + "; give --epochs");
      }
    }
  }
  for (const std::string name : {"epochs", "steps", "samples", "tokens", "until"}) {
    if (arguments.has(name) && arguments.has("parameters")) {
      throw Error("--" + name + ": cannot be combined with --parameters, which forecasts memory");
    }
  }
  for (const std::string name : {"steps", "samples", "tokens", "until"}) {
    if (arguments.has(name) && on_more && !arguments.has("layout")) {
      throw Error("--" + name + ": cannot be combined with --gpus or --cpus; give --epochs");
    }
  }
}

/// Whether the forecast surface answers: another batch size or input length is asked for, or the
/// runs that show more workers differ in these.
bool asks_surface(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments) {
  const auto asked = [&](const char* name) { return arguments.has(name); };
  if (std::ranges::any_of(std::array{"batch-size", "input-length", "layout", "parameters"},
                          asked)) {
    return true;
  }
  const bool on_more = arguments.has("gpus") || arguments.has("cpus");
  return on_more && !arguments.has("on") &&
         differ_in_surface_parameters(records, arguments.has("gpus"));
}

int run_predict(const cli::Arguments& arguments) {
  const bool on_device = arguments.has("on");
  const bool crossover = arguments.has("crossover");
  const bool more = arguments.has("gpus") || arguments.has("cpus");
  const bool serving = arguments.has("serving");
  require_own_options(arguments);
  const bool fill = arguments.has("fill");
  const bool jobs = arguments.has("jobs");
  if (arguments.has("each") || fill || jobs || arguments.has("pairs")) {
    const auto files = words_after(arguments, 0, "FILE...");
    auto answers = arguments.has("each") ? predict_each(files, arguments)
                   : fill                ? predict_fill(files)
                   : jobs                ? predict_jobs(files, arguments.get("jobs"))
                                         : predict_pairs(files);
    table::write_tables(std::move(answers.tables), arguments);
    return answers.forecasts == 0 ? exit_failed : exit_done;
  }
  const auto loaded = load_and_report(words_after(arguments, 0, "RECORDS..."));
  const auto records = filtered(loaded.records, arguments.all("filter"));
  if (records.empty()) {
    throw Error("no record to predict from", loaded.records.empty() ? exit_failed : exit_bad_input);
  }
  const auto found = undisturbed(records);
  const auto used = records_without(records, found.left_out);
  auto answers = crossover ? predict_crossover(used, arguments)
                 : serving ? predict_serving(used, arguments)
                 : asks_surface(used, arguments)
                     ? (on_device || arguments.has("parameters") ? predict_memory
                                                                 : predict_surface)(used, arguments)
                 : more      ? predict_scaling(used, arguments)
                 : on_device ? predict_on_device(used, arguments)
                             : predict_epochs(used, arguments);
  tell_disturbed(answers.tables, found);
  table::write_tables(std::move(answers.tables), arguments);
  return answers.forecasts == 0 ? exit_failed : status_of(loaded);
}

}  // namespace

cli::Subcommand predict_command() {
  auto options = table::output_options();
  const std::vector<cli::Option> own{
      {"sequence-length", "N", "Tokens of a sample, where the record does not state them"},
      {"relatives", "PATH",
       "Records of whole runs of the same program elsewhere (other allocation, device, nodes, "
       "seed, epochs): also forecast from how their epochs went; may be repeated",
       "", true},
      {"may-differ", "NAME",
       "With --relatives: a parameter in which these runs may differ, for example dataset.path; "
       "may be repeated",
       "", true},
      {"gpus", "N", "Forecast for N GPUs; needs records with different numbers of GPUs"},
      {"cpus", "N", "Forecast for N CPUs; needs records with different numbers of CPUs"},
      {"batch-size", "N",
       "Forecast for N samples per step of each process, times and memory; needs records with "
       "different batch sizes. With --on DEVICE: whether the memory fits there"},
      {"input-length", "N",
       "Forecast for texts of up to N tokens; needs records with different model.length"},
      {"layout", "NAME=N",
       "Forecast for another layout of a large model (tensor_parallel, pipeline_parallel, "
       "micro_batch), at the runs' batch of all GPUs; needs records that differ in it",
       "", true},
      {"parameters", "N",
       "Forecast the memory of a network of N parameters, also with --on DEVICE; needs records of "
       "one model in several sizes"},
      {"nodes", "M",
       "With --gpus or --cpus: number of nodes (default: the largest number in the records)"},
      {"crossover", "",
       "Network size from which one allocation is faster than another; needs three networks on "
       "each"},
      {"on", "DEVICE",
       "Forecast for another device: a name of the device database ('list'), or a file of "
       "measure-device; with --epochs, --gpus and --nodes for a whole run there"},
      {"from", "DEVICE",
       "With --on: the device of the record, if the record does not name it. With --crossover: a "
       "file of measure-device, for the time to wake a thread"},
      {"history", "PATH",
       "With --on: times on both devices, as records or as CSV "
       "(workload,device,time_ms[,batch,precision,...])",
       "", true},
      {"each", "K",
       "In place of RECORDS: tables (CSV: "
       "path,dur_s[,repo,benchmark,system,unit,work,pause_s,...], "
       "as 'export epochs' writes) of a row for each epoch, block or step; forecasts each run from "
       "its first K; may be repeated",
       "", true},
      {"apart", "COLUMN",
       "With --each: also forecast each run from those of the same repo and benchmark in the table "
       "that differ in COLUMN (system, submitter); may be repeated",
       "", true},
      {"fill", "",
       "In place of RECORDS: tables (CSV: workload, a setting, and step_s, throughput or "
       "peak_bytes) "
       "of a row for each setting; forecasts the rows where that is empty from the others of the "
       "workload"},
      {"pairs", "",
       "In place of RECORDS: tables (CSV: " + std::string(timing_columns) +
           "); forecasts the time of each workload on each device from that on each other one"},
      {"jobs", "waits|times",
       "In place of RECORDS: histories of 'import sacct'; forecasts how long each job waits in the "
       "queue, or how long it runs and the limit it needs, from the jobs before it"},
      {"serving", "",
       "Forecast the latency of a service by its load, and the highest load that keeps p99 below "
       "the threshold"},
      {"load", "N", "With --serving: a load: users if closed, else requests/s", "", true},
      {"arrivals", "text",
       "With --serving: closed, constant or poisson (default: as in the record)"},
      {"time", "duration", "With --serving: time of each load (default: of the last stage)"},
      {"threshold", "duration", "With --serving: p99 to keep (default: that of the record)"},
      {"filter", "NAME=VALUE", "Keep records where NAME=VALUE; repeat NAME for OR", "", true}};
  options.insert(options.begin(), own.begin(), own.end());
  options.insert(options.begin(), schedule_options().begin(), schedule_options().end());
  options.insert(options.begin(), length_options().begin(), length_options().end());
  return {
      "predict",
      {.usage = "epochcast-analyze predict RECORDS... [--epochs N | --steps N | --samples N | "
                "--tokens N | "
                "--until 'eval N'] [options]",
       .summary = "Forecasts a recorded run: for more epochs, on another device (what limits "
                  "a step first, then the ratio of the devices), with more workers, or all at "
                  "once; with another batch size, input length or layout; or a service at other "
                  "loads",
       .example = "epochcast-analyze predict out/records/pilot.h5 --epochs 90",
       .options = std::move(options),
       .positional = "RECORDS..."},
      run_predict};
}

}  // namespace epochcast::analysis
