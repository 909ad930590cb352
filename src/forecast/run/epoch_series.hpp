// The epochs of an attempt so far, and whether what follows fits into its job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/forecast/run/forecast.hpp"
#include "src/forecast/run/gaps.hpp"
#include "src/forecast/run/step.hpp"
#include "src/record/record.hpp"

namespace epochcast::forecast {

/// Keeps a bounded number of values, however many epochs there are.
class EpochSeries {
 public:
  void add(const record::Epoch& epoch);
  /// The run from its start to the end of its epoch number `epochs`, from 1.
  RunSeries until(std::int64_t epochs) const;

  std::int64_t count() const { return count_; }  ///< Of this attempt.
  std::int64_t done() const { return done_; }    ///< Those of earlier attempts included.
  double last_end_s() const { return last_end_s_; }
  const Gaps& gaps() const { return gaps_; }

 private:
  std::int64_t count_ = 0;
  std::int64_t done_ = 0;
  std::int64_t first_ = 0;
  double first_start_s_ = 0;
  double last_end_s_ = 0;
  Gaps gaps_;
  std::vector<Step> steps_;
};

/// Adds `step`; merges pairs if there are too many: a forecast goes by their work.
void add_bounded(std::vector<Step>& steps, const Step& step);

/// "epoch 3 of 10 needs up to 12m, and the job has 9m30s left for it" if the upper end of the
/// forecast (95 %) of the run until its next epoch has ended is after `usable_s`; "" if it is not,
/// or there is no forecast. `of`: epochs of the whole run. Times are on the clock of the record.
std::string why_not_begin(const RunSeries& until_next, std::int64_t of, double usable_s,
                          double now_s);

/// "the run cannot end within its limit: it needs at least 40m more, and the job ends in 9m" if
/// `least_left_s` is more than that; else "".
std::string over_limit_text(double least_left_s, double job_left_s);
/// The same by the lower end of the forecast (95 %) of the whole run.
std::string over_limit_text(const RunSeries& whole, double end_s, double now_s);

}  // namespace epochcast::forecast
