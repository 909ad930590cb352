#include "analysis/predict/other_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/records/disturbed.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/forecast/device/match.hpp"

namespace epochcast::analysis {
namespace {

bool is_file(const std::string& name, const std::string& ending) {
  return name.ends_with(ending) && std::filesystem::is_regular_file(name);
}

/// What the words of --on and --from mean: a file that measure-device wrote, a name of the
/// database, or what a driver or a site calls a device. A file is put into the device database.
std::string device_named(const std::string& name, std::vector<device::Device>& database) {
  if (is_file(name, ".yaml")) {
    database.push_back(device::read_device(name));
    database.back().name = name;  // a path: never that of a shipped device
    return name;
  }
  const auto match = device::match_device(database, {.name = name});
  if (match.device == nullptr) {
    throw Error(match.remark + (match.remark.ends_with('?')
                                    ? ""
                                    : "; give a file of 'epochcast-train measure-device -o "
                                      "FILE.yaml', which measures it, or add its datasheet to "
                                      "src/forecast/device/database"));
  }
  if (!match.remark.empty()) {
    cli::report(match.remark);
  }
  return match.device->name;
}

std::string device_of_record(const record::Record& record,
                             const std::vector<device::Device>& database) {
  if (!used_gpu(record)) {
    throw Error(
        "the record was made on a CPU, and the device database has no CPUs; give --from FILE, made "
        "by "
        "epochcast-train measure-device on that machine");
  }
  const auto match = device::match_device(database, gpu_of(record));
  if (match.device == nullptr) {
    throw Error(match.remark + "; give --from, a device or a file of measure-device");
  }
  if (!match.remark.empty()) {
    cli::report(match.remark);
  }
  return match.device->name;
}

/// Throws Error if the record was made on another device.
void require_may_be(const record::Record& record, const std::string& path, const std::string& name,
                    const std::vector<device::Device>& database) {
  if (!used_gpu(record)) {
    throw Error(
        fmt::format("--from {}: {} was made on a CPU; give a file, made by epochcast-train "
                    "measure-device on that machine",
                    name, path));
  }
  const auto match = device::match_device(database, gpu_of(record));
  const auto is_named = [&](const device::Device* device) { return device->name == name; };
  if (match.device != nullptr && !is_named(match.device) &&
      std::ranges::none_of(match.others, is_named)) {
    throw Error(fmt::format("--from {}: {} was made on {}", name, path, gpu_of(record).name));
  }
}

std::vector<Timing> timings_of_records(const std::string& path) {
  const auto loaded = load_and_report({path});
  const auto found = undisturbed(loaded.records);
  for (const auto& note : disturbance_notes(found)) {
    cli::report("--history: " + note);
  }
  std::vector<Timing> timings;
  for (const auto& [file, record] : records_without(loaded.records, found.left_out)) {
    if (const auto step = recorded_step(record); step && used_gpu(record)) {
      auto& timing = timings.emplace_back();
      timing.measured = step->measured;
      timing.device = gpu_of(record).name;
    }
  }
  return timings;
}

std::vector<Timing> timings_of_csv(const std::string& path) {
  const auto file = CsvFile::read(path);
  ExcludedRows excluded;
  auto timings = read_timings(file, excluded);
  if (const auto note = excluded.note()) {
    cli::report(*note);
  }
  return timings;
}

std::vector<Timing> history_of(const std::vector<std::string>& paths) {
  std::vector<Timing> history;
  for (const auto& path : paths) {
    const bool csv = is_file(path, ".csv") || is_file(path, ".csv.gz");
    for (auto& timing : csv ? timings_of_csv(path) : timings_of_records(path)) {
      history.push_back(std::move(timing));
    }
  }
  return history;
}

}  // namespace

device::Device device_given(const std::string& name) {
  auto database = device::read_device_database(device::device_database_folder());
  const auto own = device_named(name, database);
  return device::find_device(database, own);
}

OtherDevice::OtherDevice(const cli::Arguments& arguments)
    : database_(device::read_device_database(device::device_database_folder())),
      to_(device_named(arguments.get("on"), database_)),
      from_(arguments.has("from") ? device_named(arguments.get("from"), database_) : ""),
      history_(history_of(arguments.all("history"))) {}

OnDeviceQuestion OtherDevice::question(const std::string& path,
                                       const record::Record& record) const {
  if (!from_.empty() && !is_file(from_, ".yaml")) {
    require_may_be(record, path, from_, database_);
  }
  const auto from = from_.empty() ? device_of_record(record, database_) : from_;
  return {.record = &record,
          .database = &database_,
          .from = &device::find_device(database_, from),
          .to = &device::find_device(database_, to_),
          .history = history_};
}

}  // namespace epochcast::analysis
