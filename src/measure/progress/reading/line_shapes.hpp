// Of output in no known format: the line that comes again and again with other numbers, and
// patterns for it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::progress {

/// Two lines have one shape if they differ in numbers only. Remembers a few hundred shapes at most.
class LineShapes {
 public:
  void read(std::string_view line);
  /// A regular expression for --pattern that finds a frequent line that counts: one of its whole
  /// numbers grows by the same from each line to the next, and is no clock time, percent, duration,
  /// number of samples or Unix time. It takes the duration that the line states, if it states one,
  /// and values by their names. An epoch begins with the line if other lines that come again stand
  /// between it and its next and after its last.
  struct Proposal {
    std::string pattern;
    std::string values;      ///< What it reads in the first lines: "epoch = 1, 2, 3".
    bool of_epochs = false;  ///< Else of steps, as far as its words say.
  };
  /// The likeliest first; one that takes a duration, then the same without.
  std::vector<Proposal> proposals() const;

 private:
  /// One of the numbers of a shape, over its lines.
  struct Track {
    double first = 0, last = 0;
    double step = 0;    ///< From the line before.
    bool grows = true;  ///< By the same, and it may count.
    bool by_one = true;
    bool rises = true;
    bool constant = true;
  };
  struct Shape {
    std::string example;
    std::int64_t lines = 0;
    std::int64_t first_at = 0;  ///< In lines with numbers.
    std::int64_t last_at = 0;
    std::vector<Track> tracks;
    std::vector<double> shown;  ///< The numbers of the first lines.
  };
  static std::size_t counter_of(const Shape& shape);
  static std::string first_values(const Shape& shape, std::size_t index);
  Proposal proposal(const Shape& shape, bool with_duration) const;
  bool begins_what_follows(const Shape& shape) const;

  std::map<std::string, Shape, std::less<>> shapes_;
  std::int64_t lines_ = 0;
};

}  // namespace epochcast::progress
