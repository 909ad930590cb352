// What the service under load says about itself: GET /metrics in Prometheus' text format.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/record/serving_rows.hpp"
#include "src/serving/load/stages.hpp"

namespace epochcast::load {

/// The sum of all samples of `name`, whatever their labels; NaN if there are none.
double sample_sum(std::string_view text, std::string_view name);

/// The metrics of our services that a record keeps; those that another service lacks are NaN.
struct ServiceMetrics {
  double queue_length = record::not_measured;  ///< Now.
  double batches = record::not_measured;       ///< Since its start, as the others.
  double batch_inputs = record::not_measured;
  double cache_hits = record::not_measured;
  struct Passes {
    double number = 0;
    double seconds = 0;
  };
  std::map<std::int64_t, Passes> passes = {};  ///< Forward passes, by their number of inputs.
};

ServiceMetrics parse_service_metrics(std::string_view text);

/// Sets the queue length of `now`, and of the others what was added since `before`.
void set_metrics(const ServiceMetrics& before, const ServiceMetrics& now,
                 record::ServingSecond& second);

/// The forward passes between the two.
std::vector<record::ServingPass> passes_between(const ServiceMetrics& before,
                                                const ServiceMetrics& now);

/// The forward passes of the service under load, by the stage of the load in which they ended.
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
