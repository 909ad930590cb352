// The progress of a training and the time left: a bar that is redrawn on a terminal, plain lines in
// the log of a batch job.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/forecast/run/left.hpp"
#include "src/record/run/run_config.hpp"
#include "src/training/loop/observer.hpp"

namespace epochcast::train {

enum class ProgressStyle { bar, lines };

/// A bar if standard error is a terminal.
ProgressStyle progress_style_of_stderr();

class Progress : public Observer {
 public:
  /// Writes to `out` without color. A bar is redrawn at most every 0.2 s; a line is printed after
  /// each epoch and, within an epoch, at most every 30 s. Every line begins with `prefix`: beside
  /// the log of a published program, it tells the two apart. A run that cannot end before its job
  /// does (`job_end_s`) is told so once.
  Progress(std::ostream& out, ProgressStyle style, const run::RunConfig& config, const Clock& clock,
           std::string prefix = "", std::optional<double> job_end_s = {})
      : out_(out),
        style_(style),
        config_(config),
        clock_(clock),
        prefix_(std::move(prefix)),
        job_end_s_(job_end_s) {}

  void opened(const std::vector<std::string>& notes) override;
  void training_begins(const record::Work& work, const Position& from,
                       const forecast::ObservedRun& run) override;
  void step_ends(const record::Iteration& row, const Metrics& losses) override;
  void evaluated(const Position& position, const Metrics& scores) override;
  void epoch_ends(const record::Epoch& row, const Metrics& metrics) override;
  void stops(const std::string& why) override;

 private:
  std::optional<forecast::Prediction> left() const;
  std::string bar() const;
  void clear_bar();
  void warn_if_over(const std::optional<forecast::Prediction>& left);

  std::ostream& out_;
  ProgressStyle style_;
  const run::RunConfig& config_;
  const Clock& clock_;
  const std::string prefix_;
  std::optional<double> job_end_s_;  ///< Nothing: not known, or warned of.
  std::int64_t steps_per_epoch_ = 0;
  std::int64_t steps_done_ = 0;                 ///< Of the whole run.
  const forecast::ObservedRun* run_ = nullptr;  ///< Once training begins.
  forecast::RunLength length_;
  double written_at_s_ = 0;
};

}  // namespace epochcast::train
