// Whether a pattern that is proposed leads to a record, tried on the lines that it was made from.
#pragma once

#include <string>
#include <vector>

#include "src/measure/progress/recognizer/recognizer.hpp"

namespace epochcast::progress {

struct SampleLine {
  double at_s = 0;
  std::string text;
};

/// Whether its rows are there with times (of stamps or that the lines state; of arrival), none of
/// the lines disagree, all times together are no longer than the lines took, and the durations that
/// the lines state are those that passed. `options` are those of the recognizer that read the
/// lines.
bool leads_to_rows(const std::string& pattern, const std::vector<SampleLine>& lines,
                   RecognizerOptions options);

}  // namespace epochcast::progress
