#include "analysis/predict/surface_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "analysis/predict/one_workload.hpp"
#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/stated_names.hpp"

namespace epochcast::analysis {
namespace {

/// The parameters of the layout that --layout NAME=N gives.
std::map<std::string, double> layout_given(const cli::Arguments& arguments) {
  std::vector<std::string> names;
  for (const auto& dimension : layout_dimensions) {
    names.emplace_back(dimension.key);
  }
  std::map<std::string, double> given;
  for (const auto& text : arguments.all("layout")) {
    const auto at = text.find('=');
    const auto name = text.substr(0, at);
    const auto number = parse_integer(at == std::string::npos ? "" : text.substr(at + 1));
    const auto what = run::what_is(name);  // a framework's name counts as ours
    const auto own = std::ranges::find_if(
        names, [&](const std::string& one) { return what && run::what_is(one) == what; });
    if (own == names.end()) {
      throw Error(fmt::format("--layout: found '{}', expected {}=N{}", text, join(names, "=N, "),
                              did_you_mean(name, names)));
    }
    if (!number || *number < 1) {
      throw Error(
          fmt::format("--layout: found '{}', expected a whole number of at least 1 "
                      "after {}=",
                      text, name));
    }
    given[*own] = static_cast<double>(*number);
  }
  return given;
}

/// Throws Error if the workers, or the samples of a step, cannot be divided so.
void require_whole_layout(const forecast::StepSetting& asked) {
  const auto whole = [](double number) { return std::abs(number - std::round(number)) < 1e-9; };
  if (!whole(asked.replicas())) {
    throw Error(
        fmt::format("{:g} workers cannot be divided into tensor_parallel {:g} times "
                    "pipeline_parallel {:g}",
                    asked.workers, asked.tensor, asked.pipeline));
  }
  if (asked.micro_batch > 1 && !whole(asked.micro_batches())) {
    throw Error(fmt::format(
        "micro_batch={:g}: the {:g} samples of a step cannot be divided among {:g} replicas so",
        asked.micro_batch, asked.batch * asked.workers, asked.replicas()));
  }
}

bool are_on_gpus(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments) {
  if (arguments.has("gpus") || arguments.has("cpus")) {
    return arguments.has("gpus");
  }
  const auto on_gpu = std::ranges::count_if(
      records, [](const LoadedRecord& loaded) { return used_gpu(loaded.record); });
  if (on_gpu > 0 && on_gpu < std::ssize(records)) {
    throw Error(
        "some runs used a GPU and some did not: give --gpus N or --cpus N, or choose with "
        "--filter device=cpu");
  }
  return on_gpu > 0;
}

void require_one_hardware(const std::vector<SettingRun>& runs) {
  std::set<std::string> models;
  for (const auto& run : runs) {
    models.insert(hardware_of(run.loaded->record));
  }
  if (models.size() > 1) {
    throw Error(
        fmt::format("the runs are of different hardware: '{}' and '{}'; give the records of "
                    "one",
                    *models.begin(), *models.rbegin()));
  }
}

double step_s_of(const record::Record& record) {
  const auto step = recorded_step(record);
  return step ? step->measured.time_s : 0;
}

/// Why the run shows no time of a step at a known setting; "" if it does.
std::string fault_of_run(const record::Record& record, bool on_gpus, bool timed, bool networks) {
  if (!ran_on(record, on_gpus)) {
    return fmt::format("it did not run on {}", on_gpus ? "GPUs" : "CPUs");
  }
  if (!(samples_per_step(record) > 0)) {
    return "does not state its batch size";
  }
  if (networks && (record.work.empty() || record.work.front().parameter_count <= 0)) {
    return "does not state its number of parameters";
  }
  if (auto fault = fault_of_attempt(record); !fault.empty()) {
    return fault;
  }
  return !timed || step_s_of(record) > 0 ? "" : "no step of it was timed";
}

/// What makes networks of one model differ in size.
record::ParameterNames options_of_models(const std::vector<LoadedRecord>& records) {
  record::ParameterNames names;
  for (const auto& [path, record] : records) {
    for (const auto& row : record.parameters) {
      if (row.name.view().starts_with("model.")) {
        names.insert(row.name.str());
      }
    }
  }
  return names;
}

std::set<double> values_of(const SurfaceSettings& recorded, double forecast::StepSetting::*value) {
  std::set<double> values;
  for (const auto& run : recorded.runs) {
    values.insert(run.setting.*value);
  }
  return values;
}

std::string list_of(const std::set<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) {
    texts.push_back(format_shortest(value));
  }
  return join(texts, ", ");
}

/// `option` if it is given, else what all runs have.
double given_or_common(const SurfaceSettings& recorded, const cli::Arguments& arguments,
                       const std::string& option, const char* name,
                       double forecast::StepSetting::*value) {
  if (arguments.has(option)) {
    return static_cast<double>(cli::count_of(arguments, option));
  }
  const auto values = values_of(recorded, value);
  if (values.size() > 1) {
    throw Error(
        fmt::format("the runs differ in the {} ({}): give --{} N", name, list_of(values), option));
  }
  return *values.begin();
}

/// The batch of all workers together, where a model is divided and all runs have the same.
std::optional<double> samples_of_all(const SurfaceSettings& recorded) {
  std::set<double> samples;
  bool divided = false;
  for (const auto& [loaded, at, step_s] : recorded.runs) {
    samples.insert(std::round(at.batch * at.workers));
    divided = divided || at.tensor * at.pipeline > 1;
  }
  return divided && samples.size() == 1 ? std::optional(*samples.begin()) : std::nullopt;
}

/// The number of processes, and of the CPUs of each, that make `cpus`: where the runs differ in one
/// of the two, the other is as in all runs.
void divide_cpus(const SurfaceSettings& recorded, double cpus, forecast::StepSetting& asked) {
  const auto threads = values_of(recorded, &forecast::StepSetting::threads);
  const auto workers = values_of(recorded, &forecast::StepSetting::workers);
  if (threads.size() > 1 && workers.size() > 1) {
    throw Error(
        fmt::format("--cpus: the runs differ in processes ({}) and in CPUs per process "
                    "({}); give records that differ in one of them",
                    list_of(workers), list_of(threads)));
  }
  const bool by_processes = workers.size() > 1;
  const double each = by_processes ? *threads.begin() : *workers.begin();
  const double others = cpus / each;
  if (others != static_cast<double>(static_cast<std::int64_t>(others))) {
    throw Error(fmt::format("--cpus: {:g} cannot be divided among {}", cpus,
                            by_processes ? fmt::format("processes of {:g} CPUs", each)
                                         : fmt::format("{:g} processes", each)));
  }
  asked.threads = by_processes ? each : others;
  asked.workers = by_processes ? others : each;
}

/// The workers and the CPUs of each where neither --cpus nor --gpus is given: those of all runs.
void take_common_workers(const SurfaceSettings& recorded, forecast::StepSetting& asked) {
  const std::string option = recorded.on_gpus ? "gpus" : "cpus";
  for (const auto value : {&forecast::StepSetting::workers, &forecast::StepSetting::threads}) {
    const auto values = values_of(recorded, value);
    if (values.size() > 1) {
      throw Error(fmt::format("the runs differ in the number of {} ({}): give --{} N",
                              recorded.on_gpus                           ? "GPUs"
                              : value == &forecast::StepSetting::workers ? "processes"
                                                                         : "CPUs",
                              list_of(values), option));
    }
    asked.*value = *values.begin();
  }
}

}  // namespace

const record::ParameterNames& surface_parameters() {
  static const record::ParameterNames names = [] {
    record::ParameterNames all{"batch", std::string(length_parameter)};
    for (const auto& name : run::stated_names) {
      if (name.what >= run::Stated::tensor_parallel) {
        all.emplace(name.name);
      }
    }
    return all;
  }();
  return names;
}

std::vector<forecast::SettingTime> SurfaceSettings::times() const {
  std::vector<forecast::SettingTime> all;
  for (const auto& run : runs) {
    all.push_back({run.setting, run.step_s});
  }
  return all;
}

SurfaceSettings surface_settings(const std::vector<LoadedRecord>& records,
                                 const cli::Arguments& arguments, bool timed) {
  SurfaceSettings recorded{.on_gpus = are_on_gpus(records, arguments), .runs = {}, .left_out = {}};
  auto free = surface_parameters();
  const bool networks = arguments.has("parameters");
  if (networks) {
    free.merge(options_of_models(records));
  }
  require_one_workload(records, recorded.on_gpus, free);
  for (const auto& loaded : records) {
    if (const auto fault = fault_of_run(loaded.record, recorded.on_gpus, timed, networks);
        !fault.empty()) {
      recorded.left_out.push_back(loaded.path + ": left out: " + fault);
    } else {
      recorded.runs.push_back({&loaded, setting_of(loaded.record), step_s_of(loaded.record)});
    }
  }
  if (recorded.runs.empty()) {
    throw RunError("no run to forecast from; the first: " + recorded.left_out.front());
  }
  require_one_hardware(recorded.runs);
  return recorded;
}

bool differ_in_surface_parameters(const std::vector<LoadedRecord>& records, bool gpus) {
  std::set<std::vector<std::string>> values;
  for (const auto& [path, record] : records) {
    if (ran_on(record, gpus)) {
      std::vector<std::string> own;
      for (const auto& name : surface_parameters()) {
        own.push_back(record::parameter(record, name));
      }
      values.insert(own);
    }
  }
  return values.size() > 1;
}

forecast::StepSetting setting_asked(const SurfaceSettings& recorded,
                                    const cli::Arguments& arguments) {
  using forecast::StepSetting;
  if (arguments.has("input-length") &&
      values_of(recorded, &StepSetting::input_length) == std::set<double>{1}) {
    throw Error(fmt::format("--input-length: no record states the parameter {}", length_parameter));
  }
  StepSetting asked{.input_length = given_or_common(recorded, arguments, "input-length",
                                                    "input length", &StepSetting::input_length)};
  const auto layout = layout_given(arguments);
  for (const auto& [key, name, value] : layout_dimensions) {
    const auto given = layout.find(std::string(key));
    const auto values = values_of(recorded, value);
    if (given == layout.end() && values.size() > 1) {
      throw Error(
          fmt::format("the runs differ in {} ({}): give --layout {}=N", key, list_of(values), key));
    }
    asked.*value = given == layout.end() ? *values.begin() : given->second;
  }
  if (arguments.has("cpus")) {
    divide_cpus(recorded, static_cast<double>(cli::count_of(arguments, "cpus")), asked);
  } else if (arguments.has("gpus")) {
    asked.workers = static_cast<double>(cli::count_of(arguments, "gpus"));
  } else {
    take_common_workers(recorded, asked);
  }
  const auto nodes = values_of(recorded, &StepSetting::nodes);
  asked.nodes = arguments.has("nodes") ? static_cast<double>(cli::count_of(arguments, "nodes"))
                                       : *nodes.rbegin();
  if (asked.nodes > asked.workers && !arguments.has("nodes")) {
    asked.nodes = asked.workers;
  }
  if (asked.workers / asked.nodes !=
      static_cast<double>(static_cast<std::int64_t>(asked.workers / asked.nodes))) {
    throw Error(fmt::format("--nodes: {:g} workers are not the same number on each of {:g} nodes",
                            asked.workers, asked.nodes));
  }
  const auto of_all = samples_of_all(recorded);
  asked.batch =
      of_all && !arguments.has("batch-size")
          ? *of_all / asked.workers
          : given_or_common(recorded, arguments, "batch-size", "batch size", &StepSetting::batch);
  require_whole_layout(asked);
  return asked;
}

}  // namespace epochcast::analysis
