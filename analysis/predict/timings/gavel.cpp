// Gavel's throughputs, one row a device, job and number of devices. Only what ran on one device is
// taken: the rest is a question of scaling.
#include "analysis/predict/device_times.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::timings {
namespace gavel_timing {

/// "ResNet-18 (batch size 16)" is a workload with its batch size.
device::MeasuredWork named(const std::string& job) {
  const std::string mark = " (batch size ";
  const auto at = job.find(mark);
  if (at == std::string::npos || !job.ends_with(")")) {
    return {.workload = job};
  }
  const auto size = job.substr(at + mark.size(), job.size() - at - mark.size() - 1);
  return {.workload = job.substr(0, at), .batch = parse_double(size).value_or(0)};
}

std::vector<Timing> read(const CsvFile& file, ExcludedRows& excluded) {
  std::vector<Timing> rows;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    if (trim(file.text(row, "scale_factor")) != "1") {
      continue;
    }
    if (const auto steps_per_s = positive(file, row, "steps_per_s", excluded)) {
      auto measured = named(file.text(row, "job"));
      measured.time_s = 1 / *steps_per_s;
      rows.push_back({measured, file.text(row, "device")});
    }
  }
  return rows;
}

}  // namespace gavel_timing

TimingFormat gavel() {
  return {.summary = "device,job,scale_factor,steps_per_s (Gavel; scale_factor 1)",
          .columns = {"device", "job", "scale_factor", "steps_per_s"},
          .origin = "Gavel",
          .read = gavel_timing::read};
}

}  // namespace epochcast::analysis::timings
