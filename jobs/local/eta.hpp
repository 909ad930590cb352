// When a queue of points that run one after another will be through.
#pragma once

#include <map>
#include <string>

namespace epochcast::jobs {

/// Points of one allocation are taken to last as long as their weight (epochs) says; an allocation
/// of which none has run yet is taken to be as fast as all that have.
class Eta {
 public:
  void expect(const std::string& allocation, double weight);
  void took(const std::string& allocation, double weight, double seconds);
  /// "about 12m left", or "no forecast yet".
  std::string text() const;

 private:
  struct Tally {
    double expected = 0;
    double done = 0;
    double seconds = 0;
  };
  std::map<std::string, Tally> tallies_;
};

}  // namespace epochcast::jobs
