// Durations as programs write them: "3m 48s", "6.50 min", "4 minutes and 30 seconds", "0:04:41".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epochcast::progress {

struct Duration {
  double seconds = 0;
  bool has_unit = false;  ///< A unit or a clock time stands there: the text says that it is a time.
};

/// Takes a duration off the front: numbers with units in falling order, a clock time
/// ("1:12:03.5", "1 day, 1:12:03", "1-02:03:04", "1:02 h"), or a number alone, which is in seconds.
/// std::nullopt, and nothing taken, if there is none, or if it is a rate ("12.5s/it").
std::optional<Duration> take_duration(std::string_view& text);

/// The seconds of "12:03" or "1:12:03.5"; tqdm also writes "1 day, 1:12:03" and "2d ...".
std::optional<double> clock_time_s(std::string_view text);

/// Words for a time in other languages, as alternatives of a pattern, in small letters: those that
/// stand alone, and those that may end a text without blanks.
extern const std::string foreign_time_words, foreign_time_endings;

/// What a name with a number says about time.
enum class TimeName {
  none,
  epoch,  ///< "time", "took", "elapsed", "epoch time": of the epoch, or of what the line is about.
  step,   ///< "batch time", "time per step".
  of_else,  ///< "eta", "data_time", "total time": of something else.
};
TimeName time_name(std::string_view name);

/// "epoch_time" and 60 s of "epoch_time_min"; "train" and 1 s of "train (s)" and "train_s".
struct NameAndUnit {
  std::string_view name;
  double unit_s = 1;
  bool is_time = false;  ///< The unit is none of another quantity: not in "loss_min".
};
NameAndUnit without_unit(std::string_view name);

}  // namespace epochcast::progress
