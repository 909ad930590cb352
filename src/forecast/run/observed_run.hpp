// What was seen of a run so far: from its rows, live or of a record, to the series that is
// forecast.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/forecast/run/forecast.hpp"
#include "src/forecast/run/gaps.hpp"
#include "src/forecast/run/overdue.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/forecast/run/step.hpp"
#include "src/record/record.hpp"

namespace epochcast::forecast {

/// The name of the span in which importers store what follows the last epoch of a log that does not
/// show the end of the run: until the next epoch begins, or the log ends.
inline constexpr std::string_view after_last_span = "after_last_epoch";

/// How many steps `row` stands for, after the row `before`. A program that is not ours prints every
/// so many, and a row has their mean.
std::int64_t steps_of_row(const record::Iteration& row, const record::Iteration& before);

using Iterations = std::vector<const record::Iteration*>;

/// How many steps each row stands for; the first one as many as the second, but not more than its
/// epoch has had.
std::vector<std::int64_t> steps_of_rows(const Iterations& iterations);

/// Collects the rows of one attempt as they come: the trainer's own line, epochcast-run, and all
/// that reads a record get the same series from the same rows. Keeps a bounded number of values,
/// however long the run is.
class ObservedRun {
 public:
  ObservedRun() = default;
  /// `work`: its samples are those of all `ranks`; steps are those of rank 0.
  explicit ObservedRun(const record::Work& work, std::size_t ranks = 1);

  /// The steps of an epoch as the program states them, where it does so later.
  void set_steps_per_epoch(std::int64_t steps) { steps_per_epoch_ = steps; }

  /// An epoch has ended; its steps were added before.
  void add(const record::Epoch& epoch);
  /// A step of any rank has ended; those of rank 0 count.
  void add(const record::Iteration& row);
  /// A span; that of an epoch comes before the epoch.
  void add(const record::Span& span);
  /// All of these, each epoch after its steps; one that has begun may have some already.
  void add(const std::vector<record::Span>& spans, const std::vector<record::Iteration>& iterations,
           const std::vector<record::Epoch>& epochs);

  std::int64_t epochs() const { return epochs_; }     ///< Ended in this attempt.
  std::int64_t epochs_done() const { return done_; }  ///< Earlier attempts included.
  std::int64_t steps_done(const RunLength& length) const;

  /// The series of a run of this length: whole epochs as soon as one has ended, with the part of
  /// the next one that was seen; else steps. A run that counts its steps, and has no epochs, is one
  /// epoch of blocks of steps with what lies between them.
  RunSeries series(const RunLength& length) const;

  /// The last step or end of an epoch.
  Observation last_seen(const RunLength& length) const;

 private:
  /// Steps in order, with what lies between them.
  struct Steps {
    std::vector<Step> steps;
    std::vector<double> samples;
    std::vector<double> gaps_s;  ///< After each step but the last.
    double start_s = 0;
    double end_s = 0;
    double count = 0;

    void add(const record::Iteration& row, std::int64_t count);
  };

  void add_steps(const record::Iteration& row, std::int64_t count);
  bool in_one_epoch(const RunLength& length) const;
  RunSeries of_epochs() const;
  RunSeries of_steps() const;
  RunSeries of_blocks_of_steps(std::int64_t steps) const;
  double after_cut_epoch_s() const;
  double steps_before() const;

  std::int64_t steps_per_epoch_ = 0;    ///< 0: not known.
  std::int64_t samples_per_epoch_ = 0;  ///< 0: not known.
  double samples_of_rank_ = 0;          ///< Per epoch.
  std::int64_t epochs_ = 0;
  std::int64_t done_ = 0;
  std::int64_t first_epoch_ = 0;
  double part_before_ = 0;  ///< Of the first epoch: what an earlier attempt did, by its steps.
  double first_start_s_ = 0;
  double last_end_s_ = 0;
  std::vector<Step> by_count_;    ///< Epochs, the work of each 1 (more where pairs were merged),
  std::vector<Step> by_samples_;  ///< and the same with their samples.
  bool has_samples_ = true;
  bool begin_unknown_ = false;  ///< Of the first epoch.
  std::optional<double> warm_up_s_;
  Gaps gaps_;
  double after_last_until_s_ = 0;
  KernelChoices kernel_choices_;
  std::vector<record::Span> cut_spans_;  ///< What followed steps before any epoch had ended.
  /// A row is printed every so many steps and has their mean time: how many the first one stands
  /// for is known with the second.
  std::optional<record::Iteration> first_row_;
  record::Iteration last_row_;
  std::int64_t rows_ = 0;
  std::int64_t first_count_ = 0;
  std::int64_t last_count_ = 1;
  Steps all_;    ///< Of the attempt.
  Steps begun_;  ///< Of the epoch that has begun.
  std::int64_t begun_epoch_ = -1;
};

/// Adds `step`; merges pairs if there are too many: a forecast goes by their work.
void add_bounded(std::vector<Step>& steps, const Step& step);

/// All rows of a record.
ObservedRun observed(const record::Record& record);

}  // namespace epochcast::forecast
