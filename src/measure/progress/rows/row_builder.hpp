// From readings to the rows of a record: epochs, printed steps, metrics, and the spans of start-up
// and evaluation.
#pragma once

#include <optional>
#include <string>

#include "src/measure/progress/reading/reading.hpp"
#include "src/measure/progress/rows/ends.hpp"
#include "src/measure/progress/rows/rows.hpp"
#include "src/measure/progress/rows/run_so_far.hpp"

namespace epochcast::progress {

/// An epoch lasts from where the one before it (with its evaluation) ended, or from where it
/// announced itself, to its end. The first one of a program that prints only at ends lasts from the
/// start of the program; of one that prints steps, it begins where their rate leads back to step 0.
/// Where an epoch's end lies between two prints, its time is shared by the steps; where several
/// epochs pass between two prints, they share it. `wall_s` leaves out the evaluation that the
/// output shows; one that it does not show is part of it. The step_s of a printed step is the mean
/// of the steps since the print before it in the same epoch, so that the printed steps sum up to
/// the time between prints. An epoch that the output does not show to be whole is not delivered.
/// Epochs that begin again (a second fit(), a fold) are counted on; those that a new attempt
/// repeats are left out.
class RowBuilder {
 public:
  /// Readings in their order; `at_s` never goes back. Without times, std::nullopt: durations are
  /// then those that the program states, or 0. With `since_s`, the line came between the two.
  void read(const Reading& found, std::optional<double> at_s,
            std::optional<double> since_s = std::nullopt);
  /// Delivers the epoch that waits for an evaluation after it, if none came for a second.
  void tick(double at_s);
  void finish();

  Rows take();
  const Position& position() const { return run_.position; }
  /// Whether all steps of the epoch that is open are done.
  bool is_whole() const { return run_.open && run_.open->whole(); }
  /// Until this call, no more than some thousand steps and metrics wait to be taken.
  void keep_all() { run_.options.keep_all = true; }
  /// The clock does not begin with the program: the first epoch may begin before its 0. Rows are
  /// then taken after finish() only, which sets the clock to the begin of the first.
  void begin_anywhere() { run_.options.begin_anywhere = true; }
  /// Besides that, the first lines are of an epoch that began before them.
  void begin_within() { run_.options.begin_within = true; }
  /// A line says that the training begins at `at_s`. It counts for the first epoch that comes
  /// later, of the run or of another fold.
  void training_begins(double at_s) {
    run_.first.told_s = run_.first.told_s.value_or(at_s);
    run_.times.told_s = at_s - run_.lost.sum_s;
  }
  /// What disagrees with what was read before; empty: nothing.
  const std::string& conflict() const { return conflict_; }
  /// Time between attempts, and of epochs that a new attempt repeated, which no row contains.
  double lost_s() const { return run_.lost.sum_s; }
  /// Whether a line between two stamps stated no time of its own, so that it is not known.
  bool guesses_times() const { return run_.clock.guesses; }
  /// Whether an epoch has a time.
  bool knows_times() const;
  /// What finish() took off the times of all rows; 0 unless begin_anywhere() was called.
  double shifted_s() const { return shifted_s_; }
  /// The length of the run is in doubt.
  void forget_total() { run_.position.epochs.reset(); }

 private:
  // row_builder.cpp: to which epoch a reading belongs, and what it changes.
  StatedClock::Place place(const Reading& reading) const;
  void state_duration(const Reading& reading);
  void train(const Reading& reading, double at_s);
  std::int64_t number_of(const Reading& reading);
  bool begins_again(const Reading& reading) const;
  bool falls_back(const Reading& reading, std::int64_t epoch);
  std::string falls_back_to(std::int64_t epoch) const;
  bool runs_again(const Reading& reading, std::int64_t epoch, double at_s);
  void add_metrics(const Reading& reading, std::int64_t epoch);
  void add_metric(std::int64_t epoch, const std::string& name, double value, std::int64_t step);
  bool full(std::size_t rows) const;

  // row_builder_epochs.cpp: the begin and the end of epochs (begins.hpp, ends.hpp).
  void change_epoch(std::int64_t epoch, const Reading& reading, double at_s);
  void begin(std::int64_t epoch, const Reading& reading, double at_s);
  void begin_first_at(double start_s);
  void lead_back(double done, double at_s);
  void add_first_batch(const Reading& next, double at_s);
  void state_start(double start_s);
  void end_several(std::int64_t next, double until_s);
  void end(double at_s);
  void end_first();
  double wall_s_until(double at_s);
  void add_metrics_of_parts();
  void release();

  // row_builder_evaluation.cpp: the time of evaluations within an epoch and after it.
  void evaluate(const Reading& reading, double at_s);
  bool only_begun() const;
  void close_evaluation(const Reading& next, double at_s);
  void note_other(const Reading& reading, double at_s);
  void leave_out(const Between& between);

  // row_builder_attempt.cpp: what a new attempt changes: it repeats epochs, or goes on after a time
  // in which nothing ran, which is no epoch's.
  void restart(const Reading& reading, double at_s);
  void drop_open();
  void leave_out_lost_time(double& start_s);
  double without_pause(const Reading& reading, double at_s);

  // row_builder_steps.cpp: the rows of printed steps, and whether steps are counted by the epoch or
  // by the run: then the first of an epoch comes after the last one of the epoch before.
  std::int64_t step_of(const Reading& reading);
  void add_step(std::int64_t done, std::int64_t since, double start_s, double at_s,
                std::int64_t samples);
  bool share_time(std::int64_t done, double at_s);
  void leave_out_steps(std::int64_t steps);
  void step(const Reading& reading, double at_s);

  RunSoFar run_;
  std::optional<record::Epoch> held_;  ///< Ended; an evaluation may follow.
  Rows rows_;
  std::string conflict_;
  double shifted_s_ = 0;
};

}  // namespace epochcast::progress
