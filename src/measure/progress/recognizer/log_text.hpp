// The text of a log of any size, as much of it as memory holds and read_whole_log() needs.
#pragma once

#include <string>
#include <vector>

namespace epochcast::progress {

struct LogText {
  std::string text;
  std::vector<std::string> notes;  ///< What was left out, in words.
};

/// Reads a log, which gzip may have compressed. A line is cut after 1 MiB. Of a log of more than
/// 64 MiB, the first MiB is kept, and the lines that may tell something of the progress; `format`
/// and `pattern` are those of RecognizerOptions. Throws Error if that is more than 96 MiB, or the
/// file cannot be read.
LogText read_log_text(const std::string& file, const std::string& format,
                      const std::string& pattern);

}  // namespace epochcast::progress
