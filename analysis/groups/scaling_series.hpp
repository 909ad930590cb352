// The same training on rising numbers of workers: which runs make a series, weak or strong.
#pragma once

#include <string>
#include <vector>

#include "analysis/groups/run_groups.hpp"
#include "src/base/core/enum_text.hpp"
#include "src/forecast/scaling/scaling.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis {

/// What the workers of a series are.
enum class WorkerKind { gpus, processes, cpus };

constexpr auto texts_of(Tag<WorkerKind>) {
  return std::array{EnumText<WorkerKind>{WorkerKind::gpus, "GPUs"},
                    EnumText<WorkerKind>{WorkerKind::processes, "processes"},
                    EnumText<WorkerKind>{WorkerKind::cpus, "CPUs"}};
}

/// Runs on one number of workers and nodes.
struct ScalingRuns {
  double workers = 0;
  double nodes = 0;
  std::string allocation;                   ///< Of the first run.
  std::vector<const record::Record*> runs;  ///< Never empty.

  /// Throughputs of the runs; of a study that published only ratios, speed-ups.
  std::vector<double> throughputs() const;
  Summary throughput() const;  ///< Over those.
};

struct ScalingSeries {
  enum class Growth {
    weak,   ///< Every worker takes as many samples in a step, whatever their number.
    strong  ///< All together do.
  };

  Growth growth = Growth::weak;
  WorkerKind kind = WorkerKind::cpus;
  double samples = 0;           ///< In a step: of a worker (weak), of all (strong).
  std::vector<std::string> by;  ///< Values of the attributes given as `by`.
  std::string source;
  run::ParameterValues parameters;  ///< Of all its runs.
  std::string work = {};  ///< Distinguishes it from the others (short_names); "": not needed.
  std::vector<ScalingRuns> points =
      {};  ///< By nodes, then workers; on two numbers of workers at least.

  /// "weak, 16 each", "strong, 64 in all, vit_tiny depth=2".
  std::string name() const;
  /// What speed-ups are relative to: the fewest workers, on the fewest nodes.
  const ScalingRuns& base() const;
  /// Every run a point.
  std::vector<forecast::ScalingPoint> all_points() const;
};

/// Whether the study published ratios instead of throughputs.
bool is_relative(const record::Record& record);

struct ScalingStudy {
  std::vector<ScalingSeries> series;
  std::vector<ExcludedRun> excluded;
};

/// Complete, untainted runs that differ only in the number of workers, batch, seed and
/// length. A run may be in a weak and in a strong series. Pointers in the result go into `records`.
/// Throws Error for an attribute in `by` that no record has.
ScalingStudy scaling_study(const std::vector<LoadedRecord>& records,
                           const std::vector<std::string>& by);

}  // namespace epochcast::analysis
