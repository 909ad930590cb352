// The text of a log of any size, as much of it as memory holds and read_whole_log() needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/lines/hints.hpp"

namespace epochcast::progress {

/// A line is cut after 1 MiB. Of a log of more than 64 MiB, the first MiB is kept, and the lines
/// that may tell something of the progress.
class LogText {
 public:
  /// `format` and `pattern` as of RecognizerOptions; `file` for messages.
  LogText(std::string file, const std::string& format, const std::string& pattern);

  /// Bytes as they come, cut anywhere. Throws Error if more than 96 MiB would be kept.
  void add(std::string_view bytes);
  /// The text; there are no more bytes.
  std::string take();
  /// What was left out, in words, once the text is taken.
  std::vector<std::string> notes() const;

 private:
  void end_line(std::string_view end);
  void filter();

  std::string file_;
  Hints hints_;  ///< None: any line may tell something.
  std::string text_;
  std::size_t line_begin_ = 0;
  bool is_large_ = false;
  bool cuts_ = false;  ///< The line has no end yet, and is cut.
  std::size_t cut_ = 0, left_out_ = 0;
};

}  // namespace epochcast::progress
