// Runs of a service under load, joined by allocation, service and kind of load; of repeats, the
// stages of the same load are one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/records/records.hpp"
#include "src/base/core/latency_histogram.hpp"
#include "src/record/record.hpp"
#include "src/record/run/serving.hpp"
#include "src/record/serving_rows.hpp"

namespace epochcast::analysis {

/// The stages of the same load in all runs of a service.
struct ServingLoad {
  record::ServingStage sum;  ///< Its counts and its duration: the sums over the runs.
  LatencyHistogram latencies;
  std::int64_t runs = 0;
  std::vector<record::ServingPass> passes;  ///< In these stages; several rows of the same inputs.
  // From the service's own metrics, where it has any, of whole seconds within the stages; 0: none.
  double batches = 0;
  double batch_inputs = 0;
  double cache_hits = 0;
  double answered_beside_hits = 0;  ///< Answers in the seconds of which the hits are known.
  double queue_sum = 0;             ///< Of its length at the end of each second.
  double queue_seconds = 0;

  double answered_per_s() const;
  /// Of a run.
  double mean_duration_s() const;
  /// The share of requests answered within the limit.
  double share_within(double limit_s) const;
};

struct ServingRuns {
  std::vector<std::string> by;
  std::string allocation;
  std::string device;
  std::string source;
  std::string service;   ///< What distinguishes its parameters from those of the others.
  std::string arrivals;  ///< closed, constant or poisson.
  run::ServeOptions serve_options;
  run::LoadOptions load_options;  ///< Of the first run: seed and stages may differ.
  double threshold_s = 0;
  double peak_memory_bytes = 0;    ///< Of the service; 0: not known.
  std::vector<ServingLoad> loads;  ///< By rising load; ramps after steady loads.
  std::vector<std::string> marks;  ///< Texts for readers: what is not as it should be.

  /// The name of a line in a picture: "cpu2, batch=8".
  std::string label() const;
};

struct ServingStudy {
  std::vector<ServingRuns> runs;
  std::vector<ExcludedRun> excluded;
};

/// Throws Error for an attribute in `by` that no record has.
ServingStudy sort_serving_runs(const std::vector<LoadedRecord>& records,
                               const std::vector<std::string>& by);

/// The share of requests that must be answered within the threshold: it is one of p99.
inline constexpr double share_to_keep = 0.99;

/// The steady loads between which the service no longer keeps its threshold: the highest below the
/// first that breaks it, and that one; nullptr: there is none.
struct BreakingLoad {
  const ServingLoad* highest_kept = nullptr;
  const ServingLoad* first_broken = nullptr;
};
BreakingLoad breaking_load(const ServingRuns& runs);

/// serve.*; what the record lacks has its default. Throws Error for a value that is not valid.
run::ServeOptions serve_options_of(const record::Record& record);
/// load.*, likewise.
run::LoadOptions load_options_of(const record::Record& record);

}  // namespace epochcast::analysis
