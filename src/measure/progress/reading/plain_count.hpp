// How far the lines of the counter have counted, and which epoch has ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/measure/progress/reading/plain_meaning.hpp"

namespace epochcast::progress {

/// Numbers and totals are as printed, what has ended is counted from 0.
class PlainCount {
 public:
  /// What the line contradicts, unless the program counts again; empty: nothing.
  std::string_view contradiction(const PlainLine& line) const {
    const bool other_total = total_ && line.epochs && *line.epochs != *total_;
    return other_total      ? "the number of epochs changes"
           : falls_to(line) ? "the epoch falls back"
                            : "";
  }
  bool falls_to(const PlainLine& line) const { return number_ && line.epoch < *number_; }
  void count(const PlainSeen& seen) {
    total_ = seen.line.epochs ? seen.line.epochs : total_;
    number_ = seen.line.epoch;
    text_ = seen.text;
  }
  /// Of its last line.
  std::optional<std::int64_t> number() const { return number_; }
  const std::string& text() const { return text_; }
  bool all_done(std::int64_t base) const {
    return total_ && number_ && *number_ >= *total_ - (1 - base);
  }

  void end(std::optional<std::int64_t> epoch) { ended_ = epoch; }
  void end(std::optional<std::int64_t> epoch, bool states_duration) {
    ended_ = epoch;
    states_duration_ = states_duration;
  }
  /// The last epoch that ended.
  std::optional<std::int64_t> ended() const { return ended_; }
  /// Whether no line of its end or after it stated how long it took; this one does.
  bool states_first_duration() { return !std::exchange(states_duration_, true); }

 private:
  std::optional<std::int64_t> number_, total_;
  std::string text_;
  std::optional<std::int64_t> ended_;
  bool states_duration_ = false;
};

}  // namespace epochcast::progress
