#include <fmt/format.h>

#include <map>
#include <set>

#include "analysis/predict/device_times.hpp"

namespace epochcast::analysis {
namespace {

/// A cell that may be missing or empty; anything else must be a number above 0.
std::optional<double> optional_number(const CsvFile& file, std::size_t row,
                                      const std::string& column, ExcludedRows& excluded) {
  return file.text(row, column).empty() ? std::optional(0.0)
                                        : positive(file, row, column, excluded);
}

/// Where each device ran a workload at one batch, and not all at the same, as it fitted each: the
/// times become those of a sample.
void compare_samples(std::vector<Timing>& rows) {
  std::map<std::pair<std::string, std::string>, std::vector<Timing*>> workloads;
  for (auto& row : rows) {
    workloads[{row.measured.workload, row.measured.precision}].push_back(&row);
  }
  for (const auto& [workload, timings] : workloads) {
    std::set<std::string> devices;
    std::set<double> batches;
    std::set<std::pair<std::string, double>> pairs;
    for (const auto* timing : timings) {
      devices.insert(timing->device);
      batches.insert(timing->measured.batch);
      pairs.emplace(timing->device, timing->measured.batch);
    }
    if (pairs.size() > devices.size() || batches.size() < 2 || batches.contains(0)) {
      continue;
    }
    for (auto* timing : timings) {
      auto& measured = timing->measured;
      measured.time_s /= measured.batch;
      measured.work.flops /= measured.batch;
      measured.work.bytes /= measured.batch;
      measured.any_batch = true;
    }
  }
}

}  // namespace

std::vector<Timing> read_timings(const CsvFile& file, ExcludedRows& excluded) {
  file.require({"workload", "device", "time_ms"});
  std::vector<Timing> rows;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    if (const auto& precision = file.text(row, "precision"); !device::is_precision(precision)) {
      excluded.add(
          file.place(row),
          fmt::format("precision: found '{}', expected fp32, tf32, fp16, bf16 or fp64", precision));
      continue;
    }
    const auto time_ms = positive(file, row, "time_ms", excluded);
    const auto batch = time_ms ? optional_number(file, row, "batch", excluded) : std::nullopt;
    const auto flops = batch ? optional_number(file, row, "flops", excluded) : std::nullopt;
    const auto bytes = flops ? optional_number(file, row, "bytes", excluded) : std::nullopt;
    if (bytes) {
      auto& timing = rows.emplace_back();
      timing.device = file.text(row, "device");
      timing.measured.workload = file.text(row, "workload");
      timing.measured.batch = *batch;
      timing.measured.any_batch = *batch == 0;
      // What people call FP32 is what their framework does for it; "fp32+ieee" is FP32 without
      // TF32.
      const auto& precision = file.text(row, "precision");
      timing.measured.precision = precision == "fp32" ? "" : precision;
      timing.measured.work.flops = *flops;
      timing.measured.work.bytes = *bytes;
      timing.measured.kind = file.text(row, "operator");
      timing.measured.single_operator = !timing.measured.kind.empty();
      if (timing.measured.kind.starts_with("convolution")) {
        timing.measured.work.convolution_flops = *flops;
      }
      timing.measured.time_s = *time_ms / 1000;
    }
  }
  compare_samples(rows);
  return rows;
}

}  // namespace epochcast::analysis
