// Lines that a program's own loop prints: they begin with the word epoch and its number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/progress/reading.hpp"
#include "src/progress/words.hpp"

namespace epochcast::progress {

/// Remembers how the program counts, and whether it prints a line an epoch or several.
class PlainReader {
 public:
  /// std::nullopt unless the line begins (after a time stamp or the like) with an epoch's number.
  std::optional<Reading> read(std::string_view line);

 private:
  void weigh_end(Reading& reading, bool has_total);

  EpochCount count_;
  std::optional<std::int64_t> last_ended_;
  std::string first_name_;  ///< Of the values of the line that ended it.
  bool several_ = false;    ///< Lines with metrics do not end epochs.
};

/// "Epoch 3/10", "epoch: 3", "[Epoch 3]", "Train Epoch: 3", from `text` on; taken off its front.
std::optional<Fraction> take_epoch(std::string_view& text);

}  // namespace epochcast::progress
