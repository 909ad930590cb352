// The remaining time of a queue of points that run one after another.
#pragma once

#include <map>
#include <string>

namespace epochcast::jobs {

/// Assumes that the points of one allocation take time in proportion to their weight (epochs). An
/// allocation without a finished point is assumed to be as fast as the others.
class Eta {
 public:
  void expect(const std::string& allocation, double weight);
  /// A point that ran for its whole length.
  void took(const std::string& allocation, double weight, double seconds);
  /// A point that failed: its time shows nothing about the others.
  void failed(const std::string& allocation, double weight);
  /// "about 12m left", or "no forecast yet". `more_s`: of a point that is in none of the above.
  std::string text(double more_s = 0) const;

 private:
  struct Tally {
    double expected = 0;
    double done = 0;
    double seconds = 0;
  };
  std::map<std::string, Tally> tallies_;
};

}  // namespace epochcast::jobs
