// What the runs at one batch size took, for the table batch_sweep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::analysis {

/// All runs of one size.
struct BatchRuns {
  double count = 0;
  double samples = 0;            ///< Of a step, of all ranks together.
  double pass_samples = 0;       ///< Of a pass over the data; 0: not known.
  bool out_of_memory = false;    ///< One of them.
  bool cold = false;             ///< One of them took a single step, its first.
  std::vector<double> single_s;  ///< Their steady steps, where single ones were recorded.
  std::vector<double> means_s;   ///< The mean step of each that had memory enough.
  std::vector<double> passes_s;  ///< Each pass of each of them.
  std::vector<double> balanced;  ///< The balanced accuracy of each that was scored.
  double peak_memory_bytes = 0;  ///< Of the one that held most; 0: not recorded.

  /// Takes in a run that has a recorded_step, or ran out of memory.
  void add(const record::Record& record);
  /// The median of the runs' means.
  std::optional<double> step_s() const;
  /// "out of memory", "only a first step" or "".
  std::string remark() const;
};

}  // namespace epochcast::analysis
