// What one line of a program's output, or one event that it writes itself, tells about its
// progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/progress/lines/line.hpp"

namespace epochcast::progress {

enum class Phase {
  train,
  evaluate,
  other,   ///< Nothing is known but that something was printed: "saved last.pt".
  values,  ///< Values of something: "BLEU = 20.1". After the last step of an epoch, of an
           ///< evaluation.
};

/// What a line says about all that follows: the program counts again.
enum class Statement {
  none,
  new_phase,    ///< Another fold, stage, trial: its epochs come after those before.
  new_attempt,  ///< The run goes on, or begins again, after it was interrupted.
  ended,        ///< The program was ended from outside: what follows is a new attempt.
};

/// A statement, when it was printed (of an attempt: its first line), and how long nothing was
/// printed before that; infinity: the attempt is known from other lines than a statement.
struct Restart {
  Statement what = Statement::none;
  double at_s = 0;
  double silence_s = 0;
  double last_line_s = 0;  ///< Of the line before the first that is about an epoch again.
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
  std::optional<double> duration_s;  ///< Stated duration of the epoch, which ends or is whole here.
  std::optional<double> step_s;      ///< Stated duration of a step since the print before.
  std::optional<double> clock_s;     ///< A clock of the program's own, since some start.
  std::optional<double> evaluation_s;  ///< Stated duration of an evaluation within what ended.
  bool covers_evaluation = false;  ///< `duration_s` and the end are also those of its evaluation.
  bool states_duration = false;    ///< `duration_s` is that of the epoch, whose end is known.
  /// The line stands for the epochs from this one to `epoch`: a line each tenth epoch.
  std::optional<std::int64_t> since_epoch;
  /// The program counts again with this line.
  Restart restart;
  bool begins_epoch = false;
  bool drops_open = false;  ///< What was read of the epoch that is open was lost.
  bool ends_epoch = false;
  bool ends_run = false;
  std::vector<NamedValue> metrics;
  /// The metrics are those of a bar that is drawn again and again: the last of an epoch counts.
  bool running = false;
  /// How much this line alone shows that the output is of this format: two lines of 0.5 that go on
  /// from each other are enough (see candidate.hpp). Other sources than printed lines leave it.
  double evidence = 0;
  /// Not empty: what disagrees. Nothing after it is read.
  std::string conflict = {};
};

/// Parts of epochs as programs add them up: 2.9999999999999996 is 3.
double without_rounding(double epochs);
/// Without what cannot be: such a number was cut off, or is something else. std::nullopt if nothing
/// is left of the reading.
std::optional<Reading> possible(Reading reading);
/// The last of its steps is done.
bool is_complete(const Reading& reading);
/// What the reading says is done of its epoch, in epochs.
double part_done(const Reading& reading);

/// A reading, and the time of the line that it comes from.
struct TimedReading {
  Reading reading;
  double at_s = 0;
  std::optional<double> since_s = {};  ///< It came between the two.
};

/// Of a line that no format understands: its `evaluation`, or that it was printed.
TimedReading reading_of_other(const Line& line);

}  // namespace epochcast::progress
