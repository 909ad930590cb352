#include "src/training/loop/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "src/base/core/signals.hpp"
#include "src/forecast/run/left.hpp"
#include "src/training/loop/checkpoint.hpp"
#include "src/training/loop/rank_rows.hpp"
#include "src/training/loop/updates.hpp"

namespace epochcast::train {
namespace {

/// The requests of a rank to Team::agree(): the largest value wins.
constexpr std::int64_t no_request = 0;
constexpr std::int64_t time_is_up = 1;
constexpr std::int64_t stop_by_signal = 2;  ///< Plus the number of the signal.

class Loop {
 public:
  Loop(const TrainingParts& parts, Position from)
      : parts_(parts),
        of_workload_(parts.workload.parts()),
        work_(parts.workload.describe()),
        plan_(parts.config, work_.iterations_per_epoch),
        rows_(parts.team, parts.record),
        iterations_(rows_, parts.workload, parts.config.device != "cpu"),
        saved_(of_workload_, parts.team, parts.folder, parts.checkpoint, from),
        run_(work_, static_cast<std::size_t>(parts.team.size())),
        reads_losses_(std::ranges::any_of(parts.observers, &Observer::wants_losses)) {}

  TrainingResult run(const Position& from) {
    auto result = run_epochs(from);
    notify(&Observer::run_ends);
    flush();
    if (diverged_in_) {
      result.notes.push_back(fmt::format(
          "the loss was not finite in epoch {}: the training has diverged", *diverged_in_ + 1));
    }
    return result;
  }

 private:
  TrainingResult run_epochs(Position position) {
    notify(&Observer::training_begins, work_, position, run_);
    for (; position.epoch < parts_.config.epochs && !reached_target();
         position = {position.epoch + 1, 0}) {
      if (const auto end = reason_to_end(position)) {
        return end_early(*end, position);
      }
      if (const auto end = reason_not_to_begin(position)) {
        notify(&Observer::stops, end->text);
        return end_early(*end, position);
      }
      if (const auto end = run_epoch(position)) {
        return *end;
      }
    }
    if (reached_target()) {
      notify(&Observer::target_reached, position.epoch - 1);
    }
    notify(&Observer::training_ends);
    return {false, fmt::format("{}{} of {} epochs", reached_target() ? target_text() : "",
                               position.epoch, parts_.config.epochs)};
  }

  bool reached_target() const {
    return of_workload_.evaluator != nullptr && of_workload_.evaluator->reached_target();
  }

  template <class... Parameters, class... Arguments>
  void notify(void (Observer::*event)(Parameters...), const Arguments&... arguments) {
    for (Observer* observer : parts_.observers) {
      (observer->*event)(arguments...);
    }
  }

  double now() const { return parts_.clock.now_s(); }

  /// Runs `action` and records it as the span `name`, unless it returns false because it did
  /// nothing. Returns its duration.
  template <class Action>
  double timed(const char* name, std::int64_t epoch, Action&& action) {
    const double start_s = now();
    const bool done = action();
    const double chosen_s = kernel_choice_s(epoch);
    const double duration_s = now() - start_s - chosen_s;
    if (done) {
      append({name, epoch, start_s, duration_s});
    }
    return duration_s;
  }

  /// The time that choosing kernels has just taken, recorded as a span of its own: it is no part of
  /// the step, epoch or evaluation in which a kernel was first needed.
  double kernel_choice_s(std::int64_t epoch) {
    const double spent_s = parts_.workload.take_kernel_choice_s();
    if (spent_s > 0) {
      append({"choose_kernels", epoch, now() - spent_s, spent_s});
    }
    return spent_s;
  }

  void append(const record::Span& span) {
    parts_.record.append(span);
    run_.add(span);
  }

  void flush() {
    for (const auto& choice : parts_.workload.take_kernel_choices()) {
      parts_.record.append(choice);
    }
    for (Observer* observer : parts_.observers) {
      observer->append_rows(parts_.record);
    }
    parts_.record.flush();
    flushed_at_s_ = now();
  }

  std::int64_t request() const {
    if (parts_.stop.signal() != 0) {
      return stop_by_signal + parts_.stop.signal();
    }
    const double limit_s = parts_.config.max_time.value;
    return limit_s > 0 && now() >= limit_s ? time_is_up : no_request;
  }

  /// The reason to end the run at `position`, the same on all ranks; std::nullopt if there is none.
  std::optional<TrainingResult> reason_to_end(const Position& position) {
    const auto& config = parts_.config;
    const auto ending = [&](bool stopped, const std::string& why) {
      return TrainingResult{stopped,
                            fmt::format("{} in epoch {} of {}, {} iterations into it", why,
                                        position.epoch + 1, config.epochs, position.iteration)};
    };
    const auto agreed = parts_.team.agree(request());
    if (agreed > stop_by_signal) {
      return ending(true, "stopped by " + signal_name(static_cast<int>(agreed - stop_by_signal)));
    }
    if (iterations_are_done(position)) {
      return ending(false, fmt::format("ended by max_iterations={}", config.max_iterations));
    }
    if (agreed == time_is_up) {
      return ending(false, "ended by max_time=" + to_text(config.max_time));
    }
    return std::nullopt;
  }

  /// The reason to stop before the epoch at `position`, the same on all ranks; std::nullopt: there
  /// is none, or none is known, since this attempt has done no whole epoch.
  std::optional<TrainingResult> reason_not_to_begin(const Position& position) {
    const auto& job = parts_.job;
    if ((!job.by_epochs() && !job.stops_if_over()) || parts_.config.max_time.value > 0) {
      return std::nullopt;  // max_time ends an epoch before the job does
    }
    const auto why = parts_.team.broadcast(parts_.team.is_first() ? why_not_begin() : "");
    return why.empty() ? std::nullopt
                       : std::optional(TrainingResult{
                             .stopped = true,
                             .text = fmt::format("stopped before epoch {} of {}: {}",
                                                 position.epoch + 1, parts_.config.epochs, why),
                             .cause = run::FailureCause::before_limit});
  }

  std::string why_not_begin() const {
    const auto& job = parts_.job;
    const auto epochs = parts_.config.epochs;
    if (!job.end_s) {
      return "";
    }
    const auto why = job.by_epochs() ? forecast::why_not_begin(run_, run_.epochs_done(), epochs,
                                                               job.usable_s(), now())
                                     : "";
    const bool is_shorter = parts_.config.target_accuracy > 0 || parts_.config.max_iterations > 0;
    const auto left = why.empty() && job.stops_if_over() && !is_shorter
                          ? forecast::left_s(run_, {.epochs = epochs}, now())
                          : std::nullopt;
    return left ? forecast::over_limit_text(left->interval_95.low, *job.end_s - now()) : why;
  }

  /// Uses the position, which is the same on all ranks, because in an inference the steps of two
  /// ranks may differ by one per epoch.
  bool iterations_are_done(const Position& position) const {
    const auto limit = parts_.config.max_iterations;
    return limit > 0 && position.epoch * work_.iterations_per_epoch + position.iteration >= limit;
  }

  /// Runs one epoch, or the rest of one. Returns the result if the run ends within the epoch.
  std::optional<TrainingResult> run_epoch(Position position) {
    parts_.workload.synchronize();
    parts_.team.barrier();  // rank 0 arrives later: it writes the record
    record::Epoch row{.epoch = position.epoch, .start_s = now()};
    notify(&Observer::epoch_begins, position.epoch);
    parts_.workload.start_epoch(position.epoch);
    std::optional<TrainingResult> end;
    trains_since_s_ = row.start_s;
    while (!end && run_step(position, row)) {
      ++position.iteration;
      if (plan_.evaluation_is_due(position)) {
        evaluate_within(position, row);
      }
      if (position.iteration < work_.iterations_per_epoch) {  // a complete epoch is closed first
        end = reason_to_end(position);
      }
    }
    parts_.workload.synchronize();
    parts_.team.barrier();  // the epoch ends when the slowest rank ends it
    end_stretch(row);
    iterations_.finish();
    row.samples = rows_.share();
    if (end) {
      if (iterations_are_done(position)) {  // a pilot also measures what follows an epoch
        Metrics not_recorded;
        follow_epoch(row, position, not_recorded);
      }
      // A pilot may end here, and its forecasts must not be of disturbed times.
      notify(&Observer::epoch_recorded, row, now());
      return end_early(*end, position);
    }
    close_epoch(row);
    return std::nullopt;
  }

  /// Records the training time up to now: training pauses for an evaluation or ends with the epoch.
  void end_stretch(record::Epoch& row) {
    const double stretch_s = now() - trains_since_s_ - std::exchange(chosen_s_, 0);
    parts_.record.append(record::Span{"train", row.epoch, trains_since_s_, stretch_s});
    row.wall_s += stretch_s;
  }

  void evaluate_within(const Position& position, record::Epoch& row) {
    parts_.workload.synchronize();
    end_stretch(row);
    row.evaluate_s += timed("evaluate_within", position.epoch, [&] {
      const auto scores = evaluate();
      append_metrics(position.epoch, scores, position.iteration);
      notify(&Observer::evaluated, position, scores);
      return !scores.empty();
    });
    trains_since_s_ = now();
  }

  /// Evaluates, and saves the weights if the scores are the best so far.
  Metrics evaluate() {
    if (of_workload_.evaluator == nullptr) {
      return {};
    }
    const auto scores = of_workload_.evaluator->evaluate();
    saved_.save_best_weights();
    return scores;
  }

  /// Returns false if the epoch has no more batches.
  bool run_step(const Position& position, record::Epoch& epoch) {
    record::Iteration row{.epoch = position.epoch, .index = position.iteration, .start_s = now()};
    const Batch batch = parts_.workload.load_batch();
    if (batch.samples == 0) {
      return false;
    }
    const double loaded_at_s = now();
    notify(&Observer::step_begins, position);
    parts_.workload.step();
    const auto losses = reads_losses_ ? parts_.workload.losses() : Metrics{};
    row.wait_s = loaded_at_s - row.start_s;
    const double chosen_s = kernel_choice_s(position.epoch);
    chosen_s_ += chosen_s;
    row.step_s = now() - loaded_at_s - chosen_s;
    row.gradient_sync_wait_s = parts_.workload.take_gradient_sync_wait_s();
    row.samples = batch.samples;
    row.work = batch.work;
    run_.add(row);
    notify(&Observer::step_ends, row, losses);
    count(row, epoch);
    return true;
  }

  void count(const record::Iteration& row, record::Epoch& epoch) {
    if (!warm_) {  // memory allocation, choice of algorithms and loading of kernels
      warm_ = true;
      parts_.workload.synchronize();
      parts_.record.append(
          record::Span{"first_iteration", row.epoch, row.start_s, now() - row.start_s - chosen_s_});
    }
    epoch.wait_s += row.wait_s;
    ++epoch.iterations;
    iterations_.add(row);
    if (now() - flushed_at_s_ >= parts_.output.flush_interval.value) {
      flush();
    }
  }

  /// Does everything that follows the last step of an epoch. All rows are flushed before the
  /// observers are notified.
  void close_epoch(record::Epoch& row) {
    auto metrics = mean_of(parts_.team, parts_.workload.losses());
    if (!diverged_in_ && std::ranges::any_of(metrics, [](const auto& metric) {
          return !std::isfinite(metric.second);
        })) {
      diverged_in_ = row.epoch;
    }
    metrics.emplace_back("examples_per_s",
                         row.wall_s > 0 ? static_cast<double>(row.samples) / row.wall_s : 0.0);
    const auto of_ranks = rows_.metrics();
    metrics.insert(metrics.end(), of_ranks.begin(), of_ranks.end());
    follow_epoch(row, {row.epoch + 1, 0}, metrics);
    parts_.record.append(row);
    run_.add(row);
    append_metrics(row.epoch, metrics);
    append_metrics(row.epoch, peaks_of(parts_.team, parts_.workload));
    append_recorder_time(row.epoch);
    notify(&Observer::epoch_recorded, row, now());
    flush();
    saved_.publish();
    notify(&Observer::epoch_ends, row, metrics);
  }

  /// Evaluation, sample images and checkpoint after the last step; training continues at `next`.
  void follow_epoch(record::Epoch& row, const Position& next, Metrics& metrics) {
    row.evaluate_s += timed("evaluate", row.epoch, [&] {
      const auto scores = evaluate();
      metrics.insert(metrics.end(), scores.begin(), scores.end());
      return !scores.empty();
    });
    row.evaluate_s += timed("sample", row.epoch, [&] { return sample(row.epoch); });
    row.checkpoint_s = timed("checkpoint", row.epoch, [&] {
      const auto every = parts_.config.checkpoint_every;
      const bool due =
          every > 0 && ((row.epoch + 1) % every == 0 || row.epoch + 1 == parts_.config.epochs);
      return due && saved_.save(next);
    });
  }

  void append_metrics(std::int64_t epoch, const Metrics& metrics, std::int64_t iteration = 0) {
    for (const auto& [name, value] : metrics) {
      parts_.record.append(record::Metric{epoch, name, value, iteration});
    }
  }

  void append_recorder_time(std::int64_t epoch) {
    const double recorder_s = parts_.record.own_time_s();
    parts_.record.append(record::Metric{epoch, "recorder_s", recorder_s - recorder_counted_s_});
    recorder_counted_s_ = recorder_s;
  }

  bool sample(std::int64_t epoch) {
    const auto every = parts_.output.sample_every;
    if (every == 0 || (epoch + 1) % every != 0 || !parts_.team.is_first() ||
        of_workload_.sampler == nullptr) {
      return false;
    }
    of_workload_.sampler->sample(parts_.folder / fmt::format("epoch-{:04}.png", epoch + 1));
    return true;
  }

  std::string target_text() const {
    return "reached target_accuracy=" + to_text(parts_.config.target_accuracy) + " after ";
  }

  TrainingResult end_early(const TrainingResult& end, const Position& position) {
    if (end.stopped) {
      timed("checkpoint", position.epoch, [&] { return saved_.save(position); });
    }
    append_metrics(position.epoch, peaks_of(parts_.team, parts_.workload));
    flush();
    saved_.publish();
    return end;
  }

  const TrainingParts& parts_;
  const WorkloadParts of_workload_;
  const record::Work work_;
  const UpdatePlan plan_;
  RankRows rows_;
  IterationLog iterations_;
  SavedStates saved_;
  forecast::ObservedRun run_;
  const bool reads_losses_;
  double trains_since_s_ = 0;  ///< Start of the training time without an evaluation.
  double chosen_s_ = 0;        ///< Of that time: spent on choosing kernels.
  bool warm_ = false;
  std::optional<std::int64_t> diverged_in_;  ///< First epoch with a loss that is not finite.
  double flushed_at_s_ = 0;
  double recorder_counted_s_ = 0;
};

}  // namespace

TrainingResult train(const TrainingParts& parts, Position from) {
  return Loop(parts, from).run(from);
}

}  // namespace epochcast::train
