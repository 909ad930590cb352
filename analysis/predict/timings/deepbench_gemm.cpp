// DeepBench's matrix products, one row a device and shape: time_ms, FP32.
#include <fmt/format.h>

#include "analysis/predict/device_times.hpp"

namespace epochcast::analysis::timings {
namespace deepbench_gemm_timing {

constexpr double bytes_of_fp32 = 4;

std::vector<Timing> read(const CsvFile& file, ExcludedRows& excluded) {
  std::vector<Timing> rows;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    const auto m = positive(file, row, "m", excluded);
    const auto n = m ? positive(file, row, "n", excluded) : std::nullopt;
    const auto k = n ? positive(file, row, "k", excluded) : std::nullopt;
    const auto time_ms = k ? positive(file, row, "time_ms", excluded) : std::nullopt;
    if (time_ms) {
      auto& timing = rows.emplace_back();
      timing.device = file.text(row, "device");
      timing.measured.workload =
          fmt::format("gemm {}x{}x{} {}{}", *m, *n, *k, file.text(row, "a_transpose"),
                      file.text(row, "b_transpose"));
      timing.measured.precision = "fp32";
      timing.measured.single_operator = true;
      timing.measured.work.flops = 2 * *m * *n * *k;
      timing.measured.work.bytes = bytes_of_fp32 * (*m * *k + *k * *n + *m * *n);
      timing.measured.time_s = *time_ms / 1000;
    }
  }
  return rows;
}

}  // namespace deepbench_gemm_timing

TimingFormat deepbench_gemm() {
  return {.summary = "device,m,n,k,a_transpose,b_transpose,time_ms (DeepBench)",
          .columns = {"device", "m", "n", "k", "a_transpose", "b_transpose", "time_ms"},
          .origin = "DeepBench",
          .read = deepbench_gemm_timing::read};
}

}  // namespace epochcast::analysis::timings
