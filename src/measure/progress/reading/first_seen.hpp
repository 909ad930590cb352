// In which epoch lines of a shape came first.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace epochcast::progress {

/// Of 64 shapes at most.
class FirstSeen {
 public:
  bool full() const { return first_in_.size() >= most_shapes; }
  bool knows(const std::string& shape) const { return first_in_.contains(shape); }
  /// Notes a line of an epoch; returns whether none of its shape came in another epoch before.
  bool is_new(const std::string& shape, std::int64_t epoch) {
    return first_in_.try_emplace(shape, epoch).first->second == epoch;
  }

 private:
  static constexpr std::size_t most_shapes = 64;

  std::map<std::string, std::int64_t> first_in_;
};

}  // namespace epochcast::progress
