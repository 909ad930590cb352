// The evaluations of a run, and the work that was done before each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::analysis {

struct EvaluationPlaces {
  std::string unit;        ///< samples (as the record counts them), epochs or steps.
  std::vector<double> at;  ///< The work before each, in their order.

  /// The work before the `number`-th, from 1. One that was not seen comes as much work after the
  /// one before it as usual: the median of what lies between two; of a single one, what came
  /// before it. There is one at least.
  double place_of(std::int64_t number) const;
  /// " (3 seen, the others each 64 samples)"; "" if the `number`-th was seen.
  std::string text_of(std::int64_t number) const;

 private:
  double between() const;
};

/// In samples where the record is one of blocks with their work, else in epochs, without epochs in
/// steps.
EvaluationPlaces evaluations_of(const record::Record& record);

}  // namespace epochcast::analysis
