// A progress format as data: patterns with named groups, and what a line that one finds means.
#pragma once

#include <string>
#include <vector>

#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress {

enum class Says {
  step,               ///< A place in the epoch.
  step_of_run,        ///< A place in a run that has no epochs.
  step_of_one_epoch,  ///< The same of a run that counts as one epoch, since it states its total.
  begin,              ///< The epoch begins with the line; without a number, the first one.
  end,                ///< The epoch ends with the line.
  end_of_both,        ///< The same, after its evaluation: `duration` is that of both.
  evaluation,         ///< A place in an evaluation; one without steps begins it.
  evaluated,          ///< The evaluation ends with the line.
  duration,           ///< How long the epoch took.
  facts,              ///< Only the groups, such as the number of epochs; metrics wait for a step.
};

/// Groups: epoch, epochs, step, steps, samples as whole numbers ("20,100" has a thousand); `part`,
/// "640/60000", of the epoch that is done; `values`, a text with names and numbers; `held_out`, the
/// same of held-out data; `duration` (with `overhead`) and `elapsed` of the epoch, `step_time` (or
/// `step_ms`) and the mean `step_mean` of its steps so far, `evaluation` (how long it took),
/// `clock` of the program: texts such as "3m 48s", else seconds. Any other group is a metric of its
/// name: a number, with commas or without, or a share ("9905/10000").
struct LineRule {
  Says says = Says::step;
  std::string needs;         ///< The line contains this text.
  std::string pattern;       ///< Searched in the line (Perl-compatible).
  int first_epoch = 0;       ///< What the program prints for its first epoch; `unknown`: 0 or 1.
  int first_step = unknown;  ///< What it prints for the first step, done; `unknown`: 0 or 1.
  double evidence = 0.5;     ///< Reading::evidence.
  std::string prefix = {};   ///< Of the names of the values.
  bool bare = false;         ///< Values are "loss 0.5", not "loss: 0.5".
  /// Finds one of the values, where they have other forms: with the groups name, whose blanks
  /// become "_", and value.
  std::string value = {};
  bool lower_case = false;       ///< So are the names of the values then.
  bool running = false;          ///< Reading::running; the lines of an epoch are evidence once.
  bool steps_from_zero = false;  ///< `steps` is the number of the last one, from 0.
  bool counts_epochs = false;    ///< `epochs` is their number, also of epochs from 0: "0/5".
  bool from_start = false;       ///< The first line stands for all epochs before it too.

  static constexpr int unknown = -1;
};

struct PatternFormat {
  std::string summary;
  std::vector<LineRule> rules;                ///< The first that finds something counts.
  std::vector<std::string> not_metrics = {};  ///< Names in `values` that are none.
  std::vector<std::string> hints = {};        ///< Empty: what the rules need.
};

FormatSpec pattern_format(const PatternFormat& format);

}  // namespace epochcast::progress
