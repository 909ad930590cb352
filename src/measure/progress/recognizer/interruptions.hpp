// Where a run was interrupted: what its lines say, and when it printed nothing.
#pragma once

#include <optional>
#include <vector>

#include "src/measure/progress/reading/format.hpp"
#include "src/measure/progress/recognizer/preamble.hpp"

namespace epochcast::progress {

/// A time in which a log shows nothing.
struct Silence {
  double from_s = 0, until_s = 0;
  bool ends_with_progress = false;  ///< The line after it names an epoch, a step or an evaluation.
};

class Interruptions {
 public:
  /// Of a program that runs: lines come when they are printed.
  Interruptions() = default;
  /// Of a log. `stamped`: its lines have times; `attempts_at_s`: when new attempts began, besides
  /// those that lines speak of; in order.
  Interruptions(bool stamped, const std::vector<double>& attempts_at_s);

  /// Something was printed, also in lines that no reader sees.
  void note_output(double at_s);
  /// What the line says about all that follows, and the silence before it. A line between two
  /// stamps, which may have come at any time between them, ends no silence.
  std::optional<Restart> read(const Line& line);
  /// That line was one of the progress.
  void note_progress(const Line& line);
  /// The longest ones, 64 at most, in order.
  const std::vector<Silence>& silences() const { return silences_; }
  const std::vector<NewStart>& new_starts() const { return preamble_.comes_again(); }

 private:
  void keep_silence(const Line& line);
  bool begins_attempt(double at_s);

  bool of_log_ = false;
  bool stamped_ = false;
  std::vector<double> attempts_at_s_;  ///< Those to come, the next one last.
  std::vector<Silence> silences_;
  Preamble preamble_;
  bool ended_ = false;  ///< A line said so, and none with a stamp came since.
  double last_output_s_ = 0;
  Restart longest_silence_;  ///< Since the last line with the number of an epoch.
};

}  // namespace epochcast::progress
