#include "analysis/records/recorded_setting.hpp"

#include "analysis/records/record_metrics.hpp"
#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {

forecast::StepSetting setting_of(const record::Record& record) {
  const auto ranks = static_cast<double>(ranks_of(record));
  return {.batch = samples_per_step(record) / ranks,
          .input_length = parse_double(record::parameter(record, length_parameter)).value_or(1),
          .threads = used_gpu(record) ? 1 : static_cast<double>(cpus_of(record)) / ranks,
          .workers = ranks,
          .nodes = static_cast<double>(nodes_of(record))};
}

forecast::StepSetting setting_with_network(const record::Record& record) {
  auto setting = setting_of(record);
  if (!record.work.empty() && record.work.front().flops_per_sample > 0) {
    setting.flops = record.work.front().flops_per_sample;
  }
  for (const auto* name : {"model.depth", "model.layers"}) {
    if (const auto layers = parse_double(record::parameter(record, name)); layers && *layers > 0) {
      setting.layers = *layers;
    }
  }
  return setting;
}

}  // namespace epochcast::analysis
