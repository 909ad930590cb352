// Evaluations that a program announces in its own words: "Running validation ...", "[eval] start".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "src/measure/progress/lines/line.hpp"

namespace epochcast::progress {

/// A line that announces one holds one of these.
const std::vector<std::string>& evaluation_hints();

/// An evaluation begins with a line that announces it, without a value. Lines after it are of the
/// evaluation until one that names the training's progress, that looks like one which came outside
/// of an evaluation before, or that tells no values after its result.
class EvaluationLines {
 public:
  /// What the line means, if no format understands it. Lines in their order.
  InEvaluation read(std::string_view text);

 private:
  bool open_ = false;
  bool told_ = false;                          ///< Its result.
  std::unordered_set<std::uint64_t> outside_;  ///< Lines of no evaluation, by their words.
};

}  // namespace epochcast::progress
