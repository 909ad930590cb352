#include "src/serving/load/stage_passes.hpp"

namespace epochcast::load {

void StagePasses::take(double asked_s, const ServiceMetrics& metrics) {
  if (last_) {
    const auto stage = stage_between(last_asked_s_, asked_s);
    for (const auto& added : passes_between(*last_, metrics)) {
      auto& row = rows_[{stage, added.inputs}];
      row.stage = stage;
      row.inputs = added.inputs;
      row.passes += added.passes;
      row.sum_s += added.sum_s;
    }
  }
  last_asked_s_ = asked_s;
  last_ = metrics;
}

std::vector<record::ServingPass> StagePasses::rows() const {
  std::vector<record::ServingPass> rows;
  rows.reserve(rows_.size());
  for (const auto& [key, row] : rows_) {
    rows.push_back(row);
  }
  return rows;
}

std::int64_t StagePasses::stage_between(double from_s, double to_s) const {
  const auto stage = stages_.at(from_s);
  const bool is_last = stage + 1 == stages_.list.size();
  return is_last || to_s <= stages_.start_s(stage + 1) ? static_cast<std::int64_t>(stage)
                                                       : record::no_stage;
}

}  // namespace epochcast::load
