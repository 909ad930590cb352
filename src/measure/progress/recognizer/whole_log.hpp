// A log of a training program that is read at once, from its first line to its last.
#pragma once

#include <string>
#include <string_view>

#include "src/measure/progress/recognizer/recognizer.hpp"

namespace epochcast::progress {

struct WholeLog {
  TimesFrom times = TimesFrom::nothing;
  Rows rows;  ///< An epoch of 0 s has no known time.
  std::string source;
  std::string note;
  Position position;
  double lost_s = 0;   ///< Between attempts.
  double begin_s = 0;  ///< Of the first epoch, on the log's own clock; all rows count from there.

  bool empty() const { return rows.epochs.empty() && rows.iterations.empty(); }
};

/// Times are the stamps of the lines; durations that the program states, where there are no stamps
/// or where these leave most epochs without a time, or where the format has a better clock. A line
/// without a stamp was printed between the stamps around it: where it matters when, the times are
/// those that make the epochs regular, or none. The interpretation of the options is not used: the
/// one that the whole log contradicts least is; times that differ between two, of which nothing
/// decides, are not known, and the note says so.
WholeLog read_whole_log(std::string_view text, const RecognizerOptions& options = {});

}  // namespace epochcast::progress
