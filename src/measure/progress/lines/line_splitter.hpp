// Cuts the bytes that a program prints into lines, as a reader of the terminal would see them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "src/measure/progress/lines/line.hpp"

namespace epochcast::progress {

/// Lines end at LF, CR, CRLF, backspaces and cursor movements; what a bar draws over is a line of
/// its own. Colours and other escape sequences are taken out, bytes that are not UTF-8 become
/// U+FFFD. Uses the same memory whatever the input is: a line is cut off after longest_line bytes.
class LineSplitter {
 public:
  using Sink = std::function<void(const Line&)>;
  /// Finds lines of interest (Hints); others may be left out.
  using Filter = std::function<std::size_t(std::string_view bytes, std::size_t from)>;

  /// `next_place`: where in `bytes`, at or after `from`, something of interest stands; npos:
  /// nowhere.
  explicit LineSplitter(Filter next_place = {}) : next_place_(std::move(next_place)) {}

  /// Delivers the lines that end in `bytes`. A line's time is that of its last byte.
  void read(std::string_view bytes, double at_s, const Sink& sink);
  /// Delivers the line that has no end yet.
  void finish(const Sink& sink);

 private:
  void deliver(std::string_view raw, double at_s, bool redrawn, const Sink& sink);
  void keep(std::string_view raw, double at_s);

  Filter next_place_;
  std::string open_;  ///< The beginning of the line that has no end yet.
  double open_at_s_ = 0;
  std::string text_;
};

}  // namespace epochcast::progress
