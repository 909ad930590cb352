// What is remembered of the readings that were read, by what it is about. begins.hpp, ends.hpp and
// whole_run.hpp say what follows from it; RowBuilder keeps it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/measure/progress/reading/reading.hpp"
#include "src/measure/progress/rows/rows.hpp"
#include "src/measure/progress/rows/stated_clock.hpp"

namespace epochcast::progress {

/// The time of an epoch of which less is known counts as not known.
inline constexpr double most_doubt = 0.25;

/// What RowBuilder's caller asked for.
struct RowOptions {
  bool keep_all = false;
  bool begin_anywhere = false;
  bool begin_within = false;
};

/// Values by their names, 64 at most: the last of each counts.
class LastValues {
 public:
  void set(const NamedValue& value);
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  void clear() { values_.clear(); }

 private:
  std::map<std::string, double> values_;
};

/// Where the times of the lines come from.
struct LineClock {
  StatedClock stated;
  bool timed = true;       ///< The lines have times of their own: those of arrival, or stamps.
  bool unstamped = false;  ///< The line stands between two stamps.
  bool guesses = false;    ///< RowBuilder::guesses_times().
  bool coarse = true;      ///< They are whole seconds.

  /// When the line was printed, `taken_off_s` before the time that it has. Between two stamps, as
  /// soon as what it states allows.
  double time_s(const Reading& reading, std::optional<double> at_s, std::optional<double> since_s,
                double taken_off_s, const StatedClock::Place& place);
};

/// Lines since the last reading that are no progress.
struct OtherLines {
  std::optional<double> last_s;
  std::optional<double> values_s, last_values_s;  ///< The first and the last that tell values.
};

/// The times that matter of what was read; none goes back but by take_back().
struct ReadTimes {
  double now_s = 0;      ///< Also where nothing was printed.
  double read_s = 0;     ///< Of the last reading.
  double trained_s = 0;  ///< Of the last one of the training.
  double ended_s = 0;    ///< Of the end of the last epoch or evaluation.
  double told_s = 0;     ///< Of the last line that says that a training begins.
  OtherLines others;

  double last_seen_s() const { return std::max(trained_s, ended_s); }
  /// The clock is put back.
  void take_back(double by_s);
  void not_after(double at_s);
};

/// From the numbers of epochs that the program prints to those of the run.
struct Numbering {
  bool begun = false;       ///< There was an epoch.
  std::int64_t next = 0;    ///< After the one that began last.
  std::int64_t done = 0;    ///< Epochs before this one are done: a new attempt repeats them.
  std::int64_t offset = 0;  ///< Epochs before the program began to count again.

  bool repeats(std::int64_t epoch) const { return epoch < done; }
};

struct StepPrint {
  std::int64_t step = 0;
  double at_s = 0;
};

/// The printed steps of the epoch that is open, and whether steps are counted by the epoch or by
/// the run: then the first of an epoch comes after the last one of the epoch before.
struct PrintedSteps {
  std::optional<StepPrint> last;
  std::optional<StepPrint> first_of_time;  ///< Of the prints with the time of the last one.
  std::int64_t stride = 0;                 ///< Steps between the last two prints.
  double step_s = 0;                       ///< Of one of them.
  std::int64_t counted_from = 0;  ///< Steps of the run before this epoch, where they count on.
  std::optional<std::int64_t> first_printed;  ///< Of the output, as printed.
  std::int64_t last_printed = 0;              ///< As printed.
  bool counts_on = false;
  std::optional<std::int64_t> fell_to = {};  ///< Far back, with the print before.

  /// Whether the first step of another epoch is one of the run: it comes after the last one
  /// printed, and that was far from the total, if one is stated.
  bool goes_on(const Reading& next) const;
  /// Whether the steps of the epoch, `done` of them now, have begun again: the second print after
  /// they fell far back is not beyond those before that either. Several processes print otherwise.
  bool begin_again_within(std::int64_t done);
  /// Whether prints stand at the first step of the run and at equal distances from it, so that the
  /// first of another epoch is its first step.
  bool stands_first(const Reading& next) const;
  void add(std::int64_t done, double at_s);
  /// The first steps of the epoch were not printed.
  void leave_out(std::int64_t steps);
  /// A new attempt counts again.
  void begin_again();
};

/// An evaluation, within an epoch or after it.
struct Evaluation {
  std::optional<double> since_s;  ///< It runs.
  LastValues metrics;
  bool whole = false;
  bool since_train = false;  ///< The last reading but this was of an evaluation.
};

/// Where the first epoch of the run began.
struct FirstEpoch {
  /// Its first print, while it is not known where it began.
  struct Print {
    double done = 0;  ///< Steps, or the part of the epoch.
    double at_s = 0;
    std::int64_t samples = 0;
    std::optional<double> elapsed_s = {};  ///< As stated, in whole seconds.
    bool by_part = false;
  };
  std::optional<Print> print;
  std::optional<double> told_s;    ///< A line says that the training begins here.
  double not_before_s = 0;         ///< Something else was done until then.
  bool by_stated = false;          ///< Its stated duration says where it began.
  bool begin_unknown = false;      ///< It is open, and began somewhere after its start_s.
  bool after_first_batch = false;  ///< It was seen from the end of its first batch on.

  /// Whether a second print at `done` shows the rate of the steps: two stamps in whole seconds that
  /// are close do not.
  bool shows_rate(double done, double at_s) const;
  /// The first print is of a late step, and the steps before it would have begun long before the
  /// output: the program did them earlier (it goes on from a checkpoint), or the output was cut.
  bool lacks_steps(std::int64_t done, double at_s, std::int64_t last_step) const;
};

struct OpenEpoch {
  std::int64_t epoch = 0;
  double start_s = 0;
  double doubt_s = 0;  ///< It may have begun so much earlier.
  double evaluate_s = 0;
  std::int64_t step = 0;
  std::optional<std::int64_t> steps;
  double part = 0;
  double printed_s = 0;            ///< How long it took until its last print, where that is stated.
  double last_print_s = 0;         ///< When that came, on a clock that stands in evaluations.
  std::optional<double> stated_s;  ///< By a bar without a stamp, which is whole.
  std::optional<double> lasts_s;   ///< By the line that ends it, where no line has a time.
  std::optional<double> exact_s;   ///< As stated, where the stamps are whole seconds.
  std::int64_t samples = 0;
  bool announced = false;  ///< By a heading.
  bool cut = false;        ///< Its first steps are not in the output.
  LastValues metrics;      ///< Of a bar.
  std::vector<std::pair<double, NamedValue>> of_parts;

  bool whole() const { return (steps && step >= *steps) || part >= 1 - 1e-6; }
  /// Steps that were not printed; 0 where it is not known how many there are.
  std::int64_t missing() const { return std::max<std::int64_t>(0, steps.value_or(step) - step); }
};

/// What the epochs that have ended show.
struct EpochsBefore {
  double wall_s = 0;  ///< Of the last one with a row, as its steps and its end.
  std::int64_t steps = 0;
  std::optional<double> end_s;
  std::int64_t last_step = 0;          ///< The last print of the epoch before, in the epoch.
  bool announced = false;              ///< It began with a heading.
  bool evaluated = false;              ///< An evaluation was the last that was read of it.
  double evaluate_s = 0;               ///< Of the last one.
  std::optional<double> evaluation_s;  ///< The longest after an epoch; 0: there was none.
  bool states_ends = false;            ///< Lines end epochs.
  std::int64_t durations_stated = 0;   ///< On lines of their own.
  std::int64_t durations_taken = 0;    ///< Of epochs whose lines have no times.
  std::optional<StepPrint> over;       ///< An epoch that was over ended again, the last one here.
};

/// Time between attempts, and of epochs that a new attempt repeated, which no row contains.
struct LostTime {
  double sum_s = 0;             ///< 0 unless RowBuilder::begin_anywhere() was called.
  double unapplied_s = 0;       ///< Of that, what the reading at hand does not know yet.
  std::int64_t agreements = 0;  ///< Epochs of which the stated duration is that of the stamps.
  std::int64_t far_apart = 0;   ///< Epochs that last far longer by the stamps than is stated.
  bool resumes = false;         ///< A new attempt began; none of its own epochs yet.
};

struct RunSoFar {
  RowOptions options;
  LineClock clock;
  ReadTimes times;
  Numbering numbers;
  PrintedSteps steps;
  Evaluation evaluation;
  FirstEpoch first;
  std::optional<OpenEpoch> open;
  EpochsBefore before;
  LostTime lost;
  Position position;
};

}  // namespace epochcast::progress
