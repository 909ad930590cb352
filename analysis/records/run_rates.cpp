#include "analysis/records/run_rates.hpp"

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"

namespace epochcast::analysis {
efficiency::WorkRates run_rates(const record::Record& record,
                                const std::vector<device::Device>& database,
                                const efficiency::StatedWork& stated) {
  const auto step = recorded_step(record);
  const double step_s = step ? step->measured.time_s : 0;
  return efficiency::work_rates(
      record, steady_samples_per_s(record), step_s > 0 ? std::optional(1 / step_s) : std::nullopt,
      efficiency::gpus_of_run(record, stated) *
          device::peak_flops_per_s(record, efficiency::precision_of(record, stated), database),
      stated);
}

}  // namespace epochcast::analysis
