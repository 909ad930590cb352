// Of output in no known format: the line that comes again and again with other numbers, and a
// pattern for it.
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
  /// A regular expression for --pattern that finds the most frequent line that counts: one of its
  /// whole numbers grows by the same from each line to the next, and is no clock time, percent or
  /// duration. Empty if there is none. An epoch begins with
  /// the line if other lines that come again stand between it and its next and after its last.
  struct Proposal {
    std::string pattern;
    std::string values;  ///< What it reads in the first lines: "epoch = 1, 2, 3".
  };
  Proposal proposal() const;

 private:
  struct Shape {
    std::string example;
    std::int64_t lines = 0;
    std::int64_t first_at = 0;  ///< In lines with numbers.
    std::int64_t last_at = 0;
    std::vector<double> last;
    std::vector<double> steps;  ///< From the line before.
    std::vector<double> shown;  ///< The numbers of the first lines.
    std::vector<bool> grows;    ///< By number of the line.
    std::vector<bool> constant;
  };
  static std::string first_values(const Shape& shape, std::size_t index);
  std::string pattern_of(std::string& shown) const;
  bool begins_what_follows(const Shape& shape) const;

  std::map<std::string, Shape, std::less<>> shapes_;
  std::int64_t lines_ = 0;
};

}  // namespace epochcast::progress
