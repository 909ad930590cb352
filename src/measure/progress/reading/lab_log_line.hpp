// The log that the lab's own program prints, line by line. It was meant for people: a number may be
// cut off anywhere, other programs write between its lines, and the total stands only at the very
// end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace epochcast::progress::lab_log {

/// "loss_D 0.637, loss_G 1.344, 27.3 examples/sec on cpu (40597.0 examples in 1486.7 seconds during
/// this epoch)": after every batch, all of it counted from the start of the epoch.
struct Progress {
  double loss_d = 0;
  double loss_g = 0;
  double examples_per_s = 0;
  double examples = 0;
  double seconds = 0;
  std::string device = {};  ///< "cpu", "cuda:0".
};
struct DeviceLine {
  std::string device;
};
struct EpochLine {
  std::int64_t epoch = 0;
};  ///< From 1.
struct BatchLine {
  std::int64_t epoch = 0;
  std::int64_t index = 0;
};
struct MeanLine {};  ///< "loss_D ..., loss_G ..., ... sec/epoch on cpu".
struct CountLine {
  std::int64_t epochs = 0;
};  ///< "Num epochs: 20".
struct TotalLine {
  double seconds = 0;
};  ///< "Total training time: 30522.1 seconds".
struct StampLine {
  std::string which;
  std::string stamp;
};                      ///< "Started at: ... local", "Ended at: ... local".
struct IgnoredLine {};  ///< Known, and does not determine times.

using Line = std::variant<Progress, DeviceLine, EpochLine, BatchLine, MeanLine, CountLine,
                          TotalLine, StampLine, IgnoredLine>;

/// The parsed line; std::nullopt if it is not one of the lab's lines or is broken. `whole` is false
/// for the last line of a text that does not end in a newline: it is then taken only if its own
/// last word shows that nothing is missing ("Num epochs: 2" may have been "Num epochs: 20").
std::optional<Line> parse(std::string_view line, bool whole);

}  // namespace epochcast::progress::lab_log
