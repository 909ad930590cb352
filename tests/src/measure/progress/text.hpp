// What a training program prints, written from a known truth: the basis of texts_test.cpp. The
// texts in texts/ (one file a format) follow the documentation and the source of the programs, not
// the readers in src/measure/progress/formats.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/recognizer/recognizer.hpp"

namespace epochcast::tests {

struct TrueMetric {
  std::string name;
  double value = 0;
};

/// One whole epoch. Durations in seconds; of a log without stamps, those that the text states.
struct TrueEpoch {
  std::int64_t epoch = 0;  ///< From 0.
  double wall_s = 0;
  double evaluate_s = 0;
  double slack_s = 0;  ///< Beyond the resolution of the times: what the lines leave open.
  /// It began at the program's start: the time before the log's first stamp is not in the log.
  bool from_start = false;
  bool starts_unseen = false;  ///< In the log, its start is nowhere: any duration or none is fine.
  std::optional<double> stated_s;  ///< wall_s, or with the evaluation if `stated_sum`.
  std::optional<double> stated_evaluate_s;
  bool stated_sum = false;
  double stated_slack_s = 0;
  bool split_known = true;  ///< The lines show where its evaluation begins.
  bool maybe = false;       ///< The lines leave open whether it is whole.
  std::optional<std::int64_t> steps;
  std::vector<TrueMetric> metrics;
};

/// Of programs that count steps of the whole run only.
struct TrueSteps {
  std::int64_t last = 0;  ///< Last printed step, counted from 1.
  std::optional<std::int64_t> total;
  double step_s = 0;
  double slack_s = 0;
  std::optional<double> stated_s;  ///< Stated duration of a step; for a log without stamps.
  double stated_slack_s = 0;
};

struct Printed {
  double at_s = 0;
  progress::Stream stream = progress::Stream::out;
  std::string bytes;
};

struct Text {
  std::vector<Printed> pieces;
  std::vector<TrueEpoch> epochs;
  std::optional<TrueSteps> run_steps;
  std::vector<std::int64_t> totals;  ///< What the total number of epochs may be; empty: unknown.
  double live_resolution_s = 0.02;
  double stamp_resolution_s = 0;  ///< 0: lines have no stamps.
  double first_stamp_s = 0;
  bool numbers_open = false;       ///< The lines leave open whether epochs are counted from 0 or 1.
  bool ambiguous = false;          ///< A careful reader could not know: a refusal is right.
  bool commas_separate = false;    ///< Its cells: no number has commas.
  std::vector<std::string> kinds;  ///< What is special about it, for messages.
};

enum class NumberStyle { comma_decimals, comma_thousands, apostrophes };
/// With the decimal numbers of the text, but not those of clocks and versions, in this style.
std::string in_numbers_of(const std::string& bytes, NumberStyle style);

/// A training program: a clock, random choices, and what it has printed so far.
class Program {
 public:
  explicit Program(std::uint64_t seed);

  double real(double low, double high);
  double spread(double low, double high);  ///< Its logarithm is uniform.
  std::int64_t whole(std::int64_t low, std::int64_t high);
  bool chance(double probability);
  /// Of dimensions that any text may have; they change nothing else about it.
  bool dimension(double probability);
  void choose_numbers();  ///< Of the whole text, in one of the styles or as they are.
  template <class T>
  T pick(std::initializer_list<T> of) {
    return of.begin()[whole(0, static_cast<std::int64_t>(of.size()) - 1)];
  }
  std::string pick(std::initializer_list<const char*> of) {
    return of.begin()[whole(0, static_cast<std::int64_t>(of.size()) - 1)];
  }
  /// A number as a program prints it; never one that begins with the digits of noise.
  std::string number(double low, double high, int digits);

  void wait(double seconds) { now_s += seconds; }
  /// Lines from here on begin with a time stamp, of a style that `longest_pause_s` allows.
  void use_stamps(double longest_pause_s);
  void use_stamp_style(int style);
  bool stamped() const { return style_ >= 0; }
  /// Lines from here on come from this many ranks, with a rank's label or without.
  void use_ranks(int ranks);

  void line(std::string_view text);    ///< With stamp and label, if they are used.
  void plain(std::string_view text);   ///< Without stamp.
  void bytes(std::string_view bytes);  ///< As they are, to the standard error output.
  /// A tqdm bar in its own words, with "\r" before it.
  void bar(std::string_view head, std::int64_t step, std::int64_t steps, double elapsed_s,
           std::string_view postfix = {});
  /// A bar of something else: all its states, then a new line.
  void other_bar();
  void noise(double probability);  ///< A line that says nothing about the progress, perhaps.
  void start_lines();              ///< What a program prints before it trains.
  /// The program is started again, by another job, after `pause_s`; it begins at `epoch`, from 0.
  void restart(double pause_s, std::int64_t epoch);
  double begun_s() const { return begun_s_; }  ///< Start of the attempt.

  TrueEpoch& epoch(std::int64_t number);  ///< A new one, appended.
  void kind(std::string_view what) { text.kinds.emplace_back(what); }

  double now_s = 0;
  Text text;
  progress::Stream out = progress::Stream::out;
  progress::Stream err = progress::Stream::err;

 private:
  void put(progress::Stream stream, std::string bytes);

  std::mt19937_64 random_, dimensions_;
  int style_ = -1;
  int ranks_ = 1;
  int label_ = 0;
  double begun_s_ = 0;
  bool first_stamp_printed_ = false;
};

/// "00:10", "1:00:10": as tqdm writes it.
std::string tqdm_time(double seconds);

/// A plan that most formats follow.
struct Plan {
  explicit Plan(Program& p, bool steps_only = false);
  std::int64_t total = 0;  ///< Epochs of the whole run.
  std::int64_t first = 0;  ///< First epoch of this run, from 0; > 0: resumed.
  std::int64_t end = 0;    ///< Whole epochs end here; < total: ended early.
  bool part = false;       ///< Part of one more epoch is run.
  std::int64_t steps = 0;  ///< Steps of an epoch.
  std::int64_t every = 1;  ///< Each so many steps are printed.
  double step_s = 0;
  double evaluate_s = 0;  ///< 0: none.
  double pause_s = 0;     ///< > 0: interrupted before epoch `interrupted`, for so long.
  std::int64_t interrupted = -1;
  void from_the_start();     ///< The run has neither resumed nor is it interrupted.
  bool repeats = false;      ///< The interrupted epoch had begun.
  double longest_s() const;  ///< Longest time between two lines, roughly.
};

/// Runs `epoch(number, steps)` for all that the plan has, whole or in part.
template <class Epoch>
void run(Program& p, const Plan& plan, Epoch&& epoch) {
  for (auto number = plan.first; number < plan.end; ++number) {
    if (number == plan.interrupted) {
      if (plan.repeats) {
        epoch(number, plan.steps / 2);
      }
      p.restart(plan.pause_s, number);
    }
    epoch(number, plan.steps);
  }
  if (plan.part) {
    epoch(plan.end, plan.steps / 2);
  }
}

struct TextSpec {
  void (*write)(Program& program);
};
namespace texts {
const std::map<std::string, TextSpec>& all();
}

}  // namespace epochcast::tests
