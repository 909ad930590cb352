// The pattern that is proposed for output in no known format.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/lines/line_splitter.hpp"
#include "src/measure/progress/reading/line_shapes.hpp"
#include "src/measure/progress/recognizer/recognizer.hpp"

namespace epochcast::progress {

struct SampleLine {
  double at_s = 0;
  std::string text;
};

/// Looks at a part of the output that costs nothing.
class PatternProposal {
 public:
  /// Writes the numbers of a line in plain form, if it has any to change (plain_numbers).
  using Plain = std::function<std::optional<std::string>(std::string_view line)>;

  /// The bytes that came at `at_s`.
  void read(std::string_view bytes, double at_s, const Plain& plain);
  /// The first pattern that leads to rows, quoted for a shell, and what it reads; else what to
  /// write. `options` are those of the recognizer that read the output.
  std::string text(const RecognizerOptions& options) const;

 private:
  LineShapes shapes_;
  LineSplitter splitter_;
  std::vector<SampleLine> sample_;  ///< On which a pattern is tried before it is proposed.
  std::size_t looked_at_ = 0;       ///< Bytes.
};

}  // namespace epochcast::progress
