// What a program prints before its first epoch, and where it comes again: a new start of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/lines/line.hpp"

namespace epochcast::progress {

/// A time at which the program seems to have begun again.
struct NewStart {
  double at_s = 0;
  bool sure = false;  ///< Several lines say so; a single one may come at other times too.
};

class Preamble {
 public:
  /// A line of a log. Words that the next line of the progress begins with too, as a host or a job,
  /// are not compared.
  void read(const Line& line);
  /// The line read last is one of the progress.
  void note_progress(const Line& line);
  /// Where most of its lines come again after an epoch; 64 at most, in order.
  const std::vector<NewStart>& comes_again() const { return comes_again_; }

 private:
  struct Kept {
    std::string text;
    double at_s = 0;
    bool stamped = false;
  };
  void compare(std::string_view progress);

  std::vector<std::string> shapes_;  ///< Of the lines before the first of the progress.
  std::vector<Kept> since_progress_;
  std::vector<NewStart> comes_again_;
  bool began_ = false;
};

}  // namespace epochcast::progress
