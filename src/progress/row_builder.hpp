// From readings to the rows of a record: epochs, printed steps, metrics, and the spans of start-up
// and evaluation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/progress/reading.hpp"
#include "src/progress/rows.hpp"

namespace epochcast::progress {

/// An epoch lasts from where the one before it (with its evaluation) ended, or from where it
/// announced itself, to its end; the first one of a program that prints only at ends lasts from the
/// start of the program. Where an epoch's end lies between two prints, its time is shared by the
/// steps. `wall_s` leaves out the evaluation that the output shows; one that it does not show is
/// part of it. The step_s of a printed step is the mean of the steps since the print before it in
/// the same epoch, so that the printed steps sum up to the time between prints.
/// An epoch that the output does not show to be whole is not delivered. Epochs that begin again
/// at 0 (a second fit()) are counted on.
class RowBuilder {
 public:
  /// Readings in their order; `at_s` never goes back. Without times, std::nullopt: durations are
  /// then those that the program states, or 0.
  void read(const Reading& found, std::optional<double> at_s);
  /// Delivers the epoch that waits for an evaluation after it, if none came for a second.
  void tick(double at_s);
  void finish();

  Rows take();
  const Position& position() const { return position_; }
  /// Until this call, no more than some thousand steps and metrics wait to be taken.
  void keep_all() { keeps_all_ = true; }
  bool keeps_all() const { return keeps_all_; }

 private:
  struct Open {
    std::int64_t epoch = 0;
    double start_s = 0;
    double evaluate_s = 0;
    double stated_s = 0;  ///< Duration that the program states.
    std::int64_t step = 0;
    std::optional<std::int64_t> steps;
    double part = 0;
    std::int64_t samples = 0;
    std::map<std::string, double> metrics;  ///< Of a bar.
    std::vector<std::pair<double, NamedValue>> of_parts;

    bool whole() const { return (steps && step >= *steps) || part >= 1 - 1e-6; }
  };
  struct Print {
    std::int64_t step = 0;
    double at_s = 0;
  };

  void train(const Reading& reading, double at_s);
  void evaluate(const Reading& reading, double at_s);
  void close_evaluation(const Reading& next, double at_s);
  std::int64_t number_of(const Reading& reading);
  bool begins_again(const Reading& reading) const;
  void begin(std::int64_t epoch, const Reading& reading, double at_s);
  double end_before(const Reading& next, double at_s) const;
  void step(const Reading& reading, double at_s);
  void end(double at_s);
  void add_metrics_of_parts();
  void end_several(std::int64_t next, double at_s);
  void release();
  void add_metrics(const Reading& reading, std::int64_t epoch);
  void add_metric(std::int64_t epoch, const std::string& name, double value, std::int64_t step);
  bool full(std::size_t rows) const;

  Rows rows_;
  Position position_;
  std::optional<Open> open_;
  std::optional<record::Epoch> held_;  ///< Ended; an evaluation may follow.
  std::optional<Print> last_print_;
  std::optional<double> evaluating_since_s_;
  std::map<std::string, double> evaluation_metrics_;
  bool evaluation_whole_ = false;
  bool evaluated_since_train_ = false;
  bool keeps_all_ = false;
  bool begun_ = false;
  bool timed_ = true;
  double now_s_ = 0;
  double last_read_s_ = 0;
  double last_train_s_ = 0;
  double last_end_s_ = 0;
  std::int64_t next_epoch_ = 0;
  std::int64_t offset_ = 0;  ///< Epochs before the program began to count again.
};

}  // namespace epochcast::progress
