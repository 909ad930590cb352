// Values that say who prints, rather than how the training goes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "src/measure/progress/reading/plain_line.hpp"

namespace epochcast::progress {

/// A whole number that is the same in each epoch ("world 8", "seed 42", "gpus 4") names the
/// process, its job or its devices, and one in the range of Unix times that rises is a time. Losses
/// and accuracies stay values, and so do counts of data.
class Identities {
 public:
  /// The values of a line about an epoch.
  void count(const PlainLine& line);
  /// As far as the lines show that were counted.
  bool contains(const std::string& name) const;

 private:
  struct Track {
    std::int64_t first_epoch = 0, last_epoch = 0;
    double last = 0;
    bool constant = true;
    bool unix_time = true;
  };
  std::map<std::string, Track, std::less<>> tracks_;
};

}  // namespace epochcast::progress
