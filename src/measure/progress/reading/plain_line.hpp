// What one line of a program's own loop says about an epoch, taken by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/format.hpp"
#include "src/measure/progress/reading/reading.hpp"

namespace epochcast::progress {

/// "3/10", "3 of 10", "[3/10]", "3": the second is empty if there is no total.
struct Fraction {
  std::int64_t number = 0;
  std::optional<std::int64_t> total;
};

/// What the words of a line make of it. Whether that is so, only other lines show
/// (formats/plain.cpp).
enum class LineRole {
  heading,   ///< Nothing but the number, or "Starting epoch 3": the epoch begins.
  step,      ///< A place in the epoch: "step 10/100", "[320/60000 (1%)]".
  summary,   ///< Values of the epoch; it names none in "train Loss: 0.5" below a heading.
  mention,   ///< Of an epoch that need not be this one: "best at epoch 3", "saved epoch 3".
  duration,  ///< "Epoch time: 148 s", "Epoch 3 took 148 s": only how long the epoch took.
  ending,    ///< "Done!", "Training finished.": where it comes once, the run is over.
};

struct PlainLine {
  /// Lines of one print statement have one shape: the words before the number and the first after.
  std::string shape;
  std::string tail;  ///< The part of it from the number on.
  LineRole role = LineRole::summary;
  LineRole role_of_counter = LineRole::summary;  ///< If `step_in_lead` is the epoch once more.
  bool step_in_lead = false;  ///< "[2/4] epoch 2": its step stands in brackets before the epoch.
  bool unnamed_step = false;  ///< "[50/200] loss 0.5": no word says that it is a step.
  bool evaluates = false;     ///< It is about held-out data.
  std::int64_t epoch = -1;    ///< As printed; -1: it names none.
  std::optional<std::int64_t> epochs;
  std::optional<std::int64_t> step, steps;
  std::optional<double> part;  ///< Of the epoch, 0 to 1.
  std::optional<std::int64_t> samples;
  std::optional<double> duration_s;    ///< Of what the line is about; without evaluation_s.
  std::optional<double> evaluation_s;  ///< Of the evaluation within the epoch.
  std::optional<double> step_duration_s;
  std::optional<double> elapsed_s;  ///< Since the start of the epoch, or of the run.
  bool unnamed_time = false;  ///< "loss 0.5 [26.2 s]", of a line of durations: no word names it.
  bool undecided = false;  ///< It states several durations, and which is the epoch's is not known.
  std::vector<NamedValue> metrics;
  std::vector<std::string> whole;  ///< The names of those that are written without decimals.
};

/// std::nullopt unless the line names an epoch or states only a duration.
std::optional<PlainLine> parse_plain_line(std::string_view text);

/// "train!:", "Evaluating ...": a line that tells what comes after it, and nothing else.
std::optional<Phase> announced_phase(std::string_view text);

/// "Epoch 3/10", "epoch: 3", "[Epoch 3]", "Train Epoch: 3", anywhere near the begin.
std::optional<Fraction> epoch_in(std::string_view text);

}  // namespace epochcast::progress
