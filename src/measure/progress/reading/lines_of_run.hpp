// Lines of the run rather than of an epoch: their like came in no epoch before.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "src/measure/progress/reading/reading.hpp"

namespace epochcast::progress {

/// In which epoch lines of a shape came first; of 64 shapes at most.
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

/// After the last epoch a program may test, state how long all took, and say that it is done.
class LinesOfRun {
 public:
  /// Whether an evaluation may be that test: a new shape after one that came before.
  bool is_test(const std::string& shape, std::int64_t epoch) {
    if (tests_.full() && !tests_.knows(shape)) {
      return false;
    }
    const bool is_new = tests_.is_new(shape, epoch);
    const bool after_known = tested_in_ == epoch;
    tested_in_ = is_new ? tested_in_ : std::optional(epoch);
    return is_new && after_known;
  }

  /// Whether a duration may be that of the run.
  bool is_total(const std::string& shape, std::int64_t epoch) {
    return !totals_.full() && totals_.is_new(shape, epoch);
  }

  /// "Done!": the end, if no epoch begins after it.
  void note_end(const std::string& shape, std::int64_t epoch, TimedReading end) {
    if (!ends_.full() && ends_.is_new(shape, epoch)) {
      end_ = std::move(end);
    }
  }
  void begin_epoch() { end_.reset(); }
  const std::optional<TimedReading>& end() const { return end_; }

 private:
  FirstSeen tests_, totals_, ends_;
  std::optional<std::int64_t> tested_in_;  ///< The epoch of the last test of a known shape.
  std::optional<TimedReading> end_;
};

}  // namespace epochcast::progress
