// What one line of a program's output, or one event that it writes itself, tells about its
// progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace epochcast::progress {

/// Of Reading::evidence: the line shows that the lines before it were not understood.
inline constexpr double contradiction = -1;

enum class Phase { train, evaluate };

struct NamedValue {
  std::string name;  ///< As the program names it: loss, eval_accuracy, lr.
  double value = 0;
};

/// Everything that is not stated stays empty. A count that a program prints from 1 is converted:
/// `epoch` is from 0.
struct Reading {
  Phase phase = Phase::train;
  std::optional<std::int64_t> epoch;   ///< The epoch that the line belongs to, from 0.
  std::optional<std::int64_t> epochs;  ///< Epochs of the whole run.
  std::optional<std::int64_t> step;    ///< Steps done: of the epoch, of the run if `of_run`.
  std::optional<std::int64_t> steps;   ///< Steps to do: of the epoch, of the run if `of_run`.
  bool of_run = false;  ///< `step`, `steps` and `elapsed_s` count from the start of the run.
  /// Part of the epoch that is done, 0 to 1, where the program states no steps.
  std::optional<double> part;
  std::optional<std::int64_t> samples;  ///< Samples of a step, or of the epoch that ends.
  std::optional<double> elapsed_s;      ///< Stated time since the start of the epoch or run.
  std::optional<double> duration_s;     ///< Stated duration of the epoch that ends, else of a step.
  bool begins_epoch = false;
  bool ends_epoch = false;
  bool ends_run = false;
  std::vector<NamedValue> metrics;
  /// The metrics are those of a bar that is drawn again and again: the last of an epoch counts.
  bool running = false;
  /// How much this line alone shows that the output is of this format: two lines of 0.5 that go on
  /// from each other are enough (see candidate.hpp). Other sources than printed lines leave it.
  double evidence = 0;
};

}  // namespace epochcast::progress
