// The end of a log that grows, in lines, for a reader who scrolls in it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

namespace epochcast::jobs {

class LogTail {
 public:
  /// Reads the end of the file: at most `most_bytes` of it, from a whole line on.
  explicit LogTail(std::string path, std::int64_t most_bytes = 4 << 20);

  /// Reads what is new; a file that has become shorter is read again. A problem becomes the only
  /// line.
  void read_on();

  /// Lines are numbered from the first one that was ever read here. A carriage return ends a line
  /// too: a bar that a program drew over and over is a line each time. Old lines are forgotten.
  std::int64_t first() const { return first_; }
  std::int64_t end() const { return first_ + static_cast<std::int64_t>(lines_.size()); }
  /// The line `number`; "" outside of first() .. end().
  std::string line(std::int64_t number) const;
  const std::string& path() const { return path_; }

 private:
  void take(const std::string& text);
  void start_over();

  std::string path_;
  std::int64_t most_bytes_;
  std::int64_t offset_ = -1;  ///< -1: nothing was read yet.
  std::int64_t first_ = 0;
  bool open_line_ = false;     ///< The last line has no end yet.
  bool after_return_ = false;  ///< The last character was a carriage return.
  std::deque<std::string> lines_;
};

}  // namespace epochcast::jobs
