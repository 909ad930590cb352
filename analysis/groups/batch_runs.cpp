#include "analysis/groups/batch_runs.hpp"

#include <algorithm>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "src/base/core/statistics.hpp"

namespace epochcast::analysis {
namespace {

/// The passes that ended; where none was recorded, the mean of those that the total is of.
void add_passes(BatchRuns& runs, const record::Record& record) {
  for (const auto& epoch : record.epochs) {
    runs.passes_s.push_back(epoch.wall_s);
    runs.pass_samples = std::max(runs.pass_samples, static_cast<double>(epoch.samples));
  }
  const auto total_s = total_training_s(record);
  if (record.epochs.empty() && total_s && record::epochs_of(record) > 0) {
    runs.passes_s.push_back(*total_s / static_cast<double>(record::epochs_of(record)));
  }
  if (runs.pass_samples == 0 && !record.work.empty()) {
    runs.pass_samples = static_cast<double>(record.work.front().samples_per_epoch);
  }
}

}  // namespace

void BatchRuns::add(const record::Record& record) {
  samples = count == 0 ? samples_per_step(record) : samples;
  ++count;
  if (ran_out_of_memory(record)) {
    out_of_memory = true;
    return;
  }
  peak_memory_bytes =
      std::max(peak_memory_bytes, epochcast::analysis::peak_memory_bytes(record).value_or(0));
  const auto steady_s = steady_steps_s(record);
  single_s.insert(single_s.end(), steady_s.begin(), steady_s.end());
  means_s.push_back(mean(steady_s).value_or(recorded_step(record)->measured.time_s));
  cold = cold || (steady_s.empty() && !record.iterations.empty());
  add_passes(*this, record);
  const auto score =
      last_metric(record, infers(record) ? "balanced_accuracy" : "val_balanced_accuracy");
  if (score) {
    balanced.push_back(100 * *score);
  }
}

std::optional<double> BatchRuns::step_s() const {
  const auto summary = summarize(means_s);
  return summary ? std::optional(summary->median) : std::nullopt;
}

std::string BatchRuns::remark() const {
  if (out_of_memory) {
    return "out of memory";
  }
  return cold ? "only a first step" : "";
}

}  // namespace epochcast::analysis
