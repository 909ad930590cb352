// How long a job runs, and which limit it needs, from earlier jobs that are more or less like it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/forecast/statistics/history.hpp"
#include "src/forecast/statistics/like_times.hpp"
#include "src/slurm/accounted_job.hpp"

namespace epochcast::history {

/// What earlier jobs say of one.
struct RunForecast {
  /// The median, and calibrated intervals (forecast::LikeTimes); no end is above the job's own
  /// limit.
  forecast::Prediction time_s;
  /// The time to ask for, before the margin of forecast::limit_from(): of all jobs, 98 % of those
  /// that their own limit lets end shall end, for as few hours as possible. So a long job is asked
  /// for less where few like it take long, and a short one keeps its own limit, which costs little.
  /// The upper end of the 95 % interval where earlier jobs do not show how to keep that.
  double needs_s = 0;
  /// Why the job may not be like its past, in one line; empty: it looks so.
  std::string warning;
};

/// Jobs of one user that ask for the same work and resources within an hour are one observation.
/// A batch weighs more the more it is like the job that is asked for: of the same user or account,
/// of the same name and script, in the same partition, with a similar limit and size, and newer.
/// A job that reached its limit took longer than that, a running one longer than it has run.
class PastRuns {
 public:
  /// Of `jobs`, by time of submission, those that completed or reached their limit count
  /// (times_of). `asked`: a job of now (submitted_at), the last batch. The ends of intervals move
  /// together, since limits leave no time beyond the upper one.
  explicit PastRuns(const std::vector<slurm::AccountedJob>& jobs,
                    const std::optional<slurm::AccountedJob>& asked = {},
                    const forecast::LikeParts& like = {forecast::Ends::together});
  PastRuns(PastRuns&&) = delete;

  /// The jobs of each batch, by their places in `jobs`; the batches by time.
  const std::vector<std::vector<std::size_t>>& batches() const { return members_; }

  /// From what was known when a batch was submitted; std::nullopt: too little for calibrated
  /// intervals.
  std::optional<RunForecast> forecast(std::size_t batch) const;

  /// The jobs of the newest `count` batches that can be forecast, against their forecasts. A job
  /// that reached its limit is inside an interval that ends there.
  forecast::Backtest backtest(std::size_t count) const;

 private:
  forecast::Likeness likeness(std::size_t batch, std::size_t earlier) const;
  const std::vector<double>& needs_by_price(std::size_t batch) const;
  double needs_s(std::size_t batch, double high_95_s) const;
  std::string warning(std::size_t batch) const;

  std::vector<slurm::AccountedJob> first_;  ///< Of each batch.
  std::vector<double> asked_at_s_;
  std::vector<std::vector<std::size_t>> members_;
  std::vector<std::vector<forecast::CountedTime>> member_times_;
  std::unique_ptr<forecast::LikeTimes> times_;
  mutable std::vector<std::vector<double>> needs_by_price_;
};

}  // namespace epochcast::history
