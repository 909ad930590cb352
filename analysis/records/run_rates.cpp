#include "analysis/records/run_rates.hpp"

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "src/forecast/device/match.hpp"

namespace epochcast::analysis {
namespace {

/// Of all its GPUs, in FLOP/s; 0: not known.
double peak_of(const record::Record& record, const std::vector<device::Device>& database,
               const efficiency::StatedWork& stated) {
  constexpr double tera = 1e12;
  const auto precision = efficiency::precision_of(record, stated);
  const auto gpu = gpu_of(record);
  if (gpu.name.empty() || precision.empty() || !device::is_precision(precision)) {
    return 0;
  }
  const auto match = device::match_device(database, gpu);
  return match.device == nullptr ? 0
                                 : efficiency::gpus_of_run(record, stated) * tera *
                                       device::peak_for(*match.device, precision).tflops.value;
}

}  // namespace

efficiency::WorkRates run_rates(const record::Record& record,
                                const std::vector<device::Device>& database,
                                const efficiency::StatedWork& stated) {
  const auto step = recorded_step(record);
  const double step_s = step ? step->measured.time_s : 0;
  return efficiency::work_rates(record, steady_samples_per_s(record),
                                step_s > 0 ? std::optional(1 / step_s) : std::nullopt,
                                peak_of(record, database, stated), stated);
}

}  // namespace epochcast::analysis
