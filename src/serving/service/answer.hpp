// From the scores of a request to the body of its answer.
#pragma once

#include <string>
#include <vector>

#include "src/training/loop/predictor.hpp"

namespace epochcast::serve {

/// Writes {"predictions": [[{"label": "NEGATIVE", "score": 0.25}, ...], ...]}: a list for each
/// input, with all classes in the order of `labels`.
class AnswerWriter {
 public:
  explicit AnswerWriter(const std::vector<std::string>& labels);

  /// Throws RunError if the scores are not as many as the labels, or not all finite.
  std::string write(const std::vector<Scores>& scores) const;

 private:
  std::vector<std::string> before_scores_;  ///< {"label": "NAME", "score":
};

}  // namespace epochcast::serve
