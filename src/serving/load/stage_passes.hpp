// The forward passes of the service under load, by the stage of the load in which they ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "src/record/serving_rows.hpp"
#include "src/serving/load/service_metrics.hpp"
#include "src/serving/load/stages.hpp"

namespace epochcast::load {

class StagePasses {
 public:
  /// `stages` outlive it.
  explicit StagePasses(const Stages& stages) : stages_(stages) {}

  /// What the service says `asked_s` after the start of the load, not before the last time. Passes
  /// since then belong to the stage if both times lie in the same one, its ends included; else to
  /// none.
  void take(double asked_s, const ServiceMetrics& metrics);

  /// By stage and number of inputs; those of no stage come first.
  std::vector<record::ServingPass> rows() const;

 private:
  std::int64_t stage_between(double from_s, double to_s) const;

  const Stages& stages_;
  double last_asked_s_ = 0;
  std::optional<ServiceMetrics> last_;
  std::map<std::pair<std::int64_t, std::int64_t>, record::ServingPass> rows_;
};

}  // namespace epochcast::load
