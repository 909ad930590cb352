// The time of a workload on another device from its time on one, tier by tier.
#include <fmt/format.h>

#include <cmath>

#include "analysis/validate/datasheet_fit.hpp"
#include "analysis/validate/device_methods.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/statistics.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis::validators {
namespace devices_validator {

std::string name_of(const device::MeasuredWork& measured) {
  return measured.batch > 0 ? fmt::format("{} at {}", measured.workload, measured.batch)
                            : measured.workload;
}

table::Table scores(const std::string& name, const std::string& title,
                    const std::vector<DeviceQuestion>& questions,
                    const std::vector<Method>& methods) {
  std::vector<double> actual_s;
  for (const auto& question : questions) {
    actual_s.push_back(question.there_s());
  }
  return score_table(name, fmt::format("{}: {} rows", title, questions.size()), actual_s, methods);
}

/// A workload and the numbers of its questions.
using WorkloadRow = std::map<std::string, std::vector<std::size_t>>::value_type;

/// Mean errors of each method by workload, for files that hold few of them.
table::Table by_workload(const std::vector<DeviceQuestion>& questions,
                         const std::vector<Method>& methods) {
  std::map<std::string, std::vector<std::size_t>> workloads;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    workloads[name_of(questions[i].one->measured)].push_back(i);
  }
  table::Columns<WorkloadRow> columns{
      {"workload", "workload", &WorkloadRow::first},
      {"n", "n", "", 0, [](const WorkloadRow& row) { return row.second.size(); }}};
  for (const auto& method : methods) {
    columns.add({method.name + "_percent", method.name, "%", 1, [&](const WorkloadRow& row) {
                   std::vector<double> errors;
                   for (const auto i : row.second) {
                     if (const auto& prediction = method.predictions[i]) {
                       errors.push_back(100 *
                                        std::abs(prediction->value / questions[i].there_s() - 1));
                     }
                   }
                   return mean(errors);
                 }});
  }
  return table::make_table("by_workload", "Mean error by workload, all pairs of devices", columns,
                           workloads);
}

/// "ResNet-18 at 16 (v100 to p100): 84 % of the step do not grow with the batch", one a workload.
std::vector<std::string> flag_notes(const std::vector<DeviceQuestion>& flagged,
                                    const std::vector<std::string>& reasons) {
  std::map<std::string, std::pair<std::size_t, std::string>> by_workload;
  for (std::size_t i = 0; i < flagged.size(); ++i) {
    auto& [count, first] = by_workload[name_of(flagged[i].one->measured)];
    first = count++ == 0 ? reasons[i] : first;
  }
  std::vector<std::string> notes;
  for (const auto& [workload, seen] : by_workload) {
    notes.push_back(
        fmt::format("flagged {}: {} rows, the first since {}", workload, seen.first, seen.second));
  }
  return notes;
}

/// Questions that the device decides, and the others with their reasons.
struct Sorted {
  std::vector<DeviceQuestion> bound;
  std::vector<DeviceQuestion> flagged;
  std::vector<std::string> reasons;
};

Sorted sorted(const DeviceTimes& times, const FileDevices& devices) {
  Sorted result;
  for (const auto& question : questions_of(times)) {
    const auto why =
        times.not_device_bound(question.from, question.to, *question.one, devices.by_name);
    (why ? result.flagged : result.bound).push_back(question);
    if (why) {
      result.reasons.push_back(*why);
    }
  }
  return result;
}

const std::vector<std::string>& what_is_left_out() {
  static const std::vector<std::string> notes{
      "reference_ratios sees neither the time that is asked for nor, where it says so, any other "
      "of "
      "the workload; it needs others on both devices, so with a device left out there is none",
      "specifications has no parameter but its widths, from DeepBench, Gavel and MLPerf; --learn "
      "FILE learns them from other files",
      "intervals learnt from other pairs: stretched by the errors on all pairs of devices of this "
      "file but the one that is asked for",
      "a row that a method refused is counted and not scored"};
  return notes;
}

/// device_methods, and the datasheets with the widths that the files of --learn teach.
std::vector<Method> methods_of(const DeviceTimes& times, const FileDevices& devices,
                               const std::vector<DeviceQuestion>& questions,
                               const std::vector<CsvFile>& learn) {
  auto methods = device_methods(times, devices, questions);
  if (!learn.empty()) {
    methods.push_back(datasheets_with(learned_widths(learn), devices, questions));
  }
  return methods;
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions& options) {
  const auto& format = timing_format_of(file);
  ExcludedRows excluded;
  const DeviceTimes times(format.read(file, excluded));
  auto devices = devices_of(times, format.origin);
  const auto questions = sorted(times, devices);
  if (questions.bound.empty() && questions.flagged.empty()) {
    throw Error(file.path() + ": no workload was measured on two devices");
  }
  std::vector<table::Table> tables;
  if (!questions.bound.empty()) {
    const auto methods = methods_of(times, devices, questions.bound, options.learn);
    tables.push_back(scores("device_bound", "Time on another device", questions.bound, methods));
    if (has_sweeps(times)) {
      tables.push_back(by_workload(questions.bound, methods));
    }
  }
  if (!questions.flagged.empty()) {
    tables.push_back(scores("not_device_bound", "Flagged as not bound by the device, not scaled",
                            questions.flagged, device_methods(times, devices, questions.flagged)));
    tables.back().notes = flag_notes(questions.flagged, questions.reasons);
  }
  auto& notes = tables.front().notes;
  notes = what_is_left_out();
  notes.insert(notes.end(), devices.notes.begin(), devices.notes.end());
  if (const auto note = excluded.note()) {
    notes.push_back(*note);
  }
  return tables;
}

}  // namespace devices_validator

ValidatorSpec devices() {
  return {.summary = "a workload's time on one device from that on another, tier by tier",
          .columns = timing_columns(),
          .score = devices_validator::score};
}

}  // namespace epochcast::analysis::validators
