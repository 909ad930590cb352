#include "src/train/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/core/signal_name.hpp"
#include "src/train/iteration_log.hpp"
#include "src/train/peaks.hpp"
#include "src/train/rank_rows.hpp"
#include "src/train/saved_states.hpp"
#include "src/train/updates.hpp"

namespace epochcast::train {
namespace {

/// What a rank wishes, as Team::agree() takes it: a signal goes before the time, and either before
/// going on.
constexpr std::int64_t go_on = 0;
constexpr std::int64_t time_is_up = 1;
constexpr std::int64_t stop_by_signal = 2;  ///< And the signal's number on top.

class Loop {
 public:
  Loop(const TrainingParts& parts, Position from)
      : parts_(parts),
        work_(parts.workload.describe()),
        plan_(parts.config, work_.iterations_per_epoch),
        rows_(parts.team, parts.record),
        iterations_(rows_, parts.workload, parts.config.device != "cpu"),
        saved_(parts.workload, parts.team, parts.folder, parts.checkpoint, from),
        reads_losses_(std::ranges::any_of(parts.observers, &Observer::wants_losses)) {}

  TrainingResult run(Position place) {
    tell(&Observer::training_begins, work_, place);
    for (; place.epoch < parts_.config.epochs && !parts_.workload.reached_target();
         place = {place.epoch + 1, 0}) {
      if (const auto end = reason_to_end(place)) {
        return end_early(*end, place);
      }
      if (const auto end = run_epoch(place)) {
        return *end;
      }
    }
    const bool on_target = parts_.workload.reached_target();
    if (on_target) {
      tell(&Observer::target_reached, place.epoch - 1);
    }
    tell(&Observer::training_ends);
    return {false, fmt::format("{}{} of {} epochs", on_target ? target_text() : "", place.epoch,
                               parts_.config.epochs)};
  }

 private:
  template <class... Parameters, class... Arguments>
  void tell(void (Observer::*event)(Parameters...), const Arguments&... arguments) {
    for (Observer* observer : parts_.observers) {
      (observer->*event)(arguments...);
    }
  }

  double now() const { return parts_.clock.now_s(); }

  /// Records the span `name` of `action`, unless that returns false for having done nothing;
  /// returns its length.
  template <class Action>
  double timed(const char* name, std::int64_t epoch, Action&& action) {
    const double start_s = now();
    const bool done = action();
    const double duration_s = now() - start_s;
    if (done) {
      parts_.record.append(record::Span{name, epoch, start_s, duration_s});
    }
    return duration_s;
  }

  void flush() {
    parts_.record.flush();
    flushed_at_s_ = now();
  }

  std::int64_t wish() const {
    if (parts_.stop.signal() != 0) {
      return stop_by_signal + parts_.stop.signal();
    }
    const double limit_s = parts_.config.max_time.value;
    return limit_s > 0 && now() >= limit_s ? time_is_up : go_on;
  }

  /// What ends the run before `place`, the same on all ranks, or nothing.
  std::optional<TrainingResult> reason_to_end(const Position& place) {
    const auto& config = parts_.config;
    const auto ending = [&](bool stopped, const std::string& why) {
      return TrainingResult{stopped, fmt::format("{} in epoch {} of {}, {} iterations into it", why,
                                                 place.epoch + 1, config.epochs, place.iteration)};
    };
    const auto agreed = parts_.team.agree(wish());
    if (agreed > stop_by_signal) {
      return ending(true, "stopped by " + signal_name(static_cast<int>(agreed - stop_by_signal)));
    }
    if (iterations_are_done(place)) {
      return ending(false, fmt::format("ended by max_iterations={}", config.max_iterations));
    }
    if (agreed == time_is_up) {
      return ending(false, "ended by max_time=" + to_text(config.max_time));
    }
    return std::nullopt;
  }

  /// By the place in the run, which all ranks share; of an inference their own steps may differ by
  /// one an epoch.
  bool iterations_are_done(const Position& place) const {
    const auto most = parts_.config.max_iterations;
    return most > 0 && place.epoch * work_.iterations_per_epoch + place.iteration >= most;
  }

  /// One pass over the data, or the rest of one. Returns the result if the run ends within it.
  std::optional<TrainingResult> run_epoch(Position place) {
    parts_.workload.synchronize();
    parts_.team.barrier();  // rank 0 comes later: it has the record to write
    record::Epoch row{.epoch = place.epoch, .start_s = now()};
    tell(&Observer::epoch_begins, place.epoch);
    parts_.workload.start_epoch(place.epoch);
    std::optional<TrainingResult> end;
    trains_since_s_ = row.start_s;
    while (!end && run_step(place, row)) {
      ++place.iteration;
      if (plan_.evaluation_is_due(place)) {
        evaluate_within(place, row);
      }
      if (place.iteration <
          work_.iterations_per_epoch) {  // behind its last step the epoch is closed properly
        end = reason_to_end(place);
      }
    }
    parts_.workload.synchronize();
    parts_.team.barrier();  // the epoch ends for all when it ends for the slowest
    end_stretch(row);
    iterations_.settle();
    row.samples = rows_.share();
    if (end) {
      if (iterations_are_done(place)) {  // a pilot: what follows an epoch is to be measured too
        Metrics scores_of_no_epoch;
        follow_epoch(row, place, scores_of_no_epoch);
      }
      return end_early(*end, place);
    }
    close_epoch(row);
    return std::nullopt;
  }

  /// Training stops, for an evaluation or the end of the epoch.
  void end_stretch(record::Epoch& row) {
    const double stretch_s = now() - trains_since_s_;
    parts_.record.append(record::Span{"train", row.epoch, trains_since_s_, stretch_s});
    row.wall_s += stretch_s;
  }

  void evaluate_within(const Position& place, record::Epoch& row) {
    parts_.workload.synchronize();
    end_stretch(row);
    row.evaluate_s += timed("evaluate_within", place.epoch, [&] {
      const auto scores = evaluate();
      append_metrics(place.epoch, scores, place.iteration);
      tell(&Observer::evaluated, place, scores);
      return !scores.empty();
    });
    trains_since_s_ = now();
  }

  /// Where the scores are the best so far, the weights stay behind as a file.
  Metrics evaluate() {
    const auto scores = parts_.workload.evaluate();
    saved_.keep_best();
    return scores;
  }

  /// False where the epoch has no more batches.
  bool run_step(const Position& place, record::Epoch& epoch) {
    record::Iteration row{.epoch = place.epoch, .index = place.iteration, .start_s = now()};
    const Batch batch = parts_.workload.load_batch();
    if (batch.samples == 0) {
      return false;
    }
    const double loaded_at_s = now();
    tell(&Observer::step_begins, place);
    parts_.workload.step();
    const auto losses = reads_losses_ ? parts_.workload.losses() : Metrics{};
    row.wait_s = loaded_at_s - row.start_s;
    row.step_s = now() - loaded_at_s;
    row.gradient_sync_wait_s = parts_.workload.take_gradient_sync_wait_s();
    row.samples = batch.samples;
    row.work = batch.work;
    tell(&Observer::step_ends, row, losses);
    count(row, epoch);
    return true;
  }

  void count(const record::Iteration& row, record::Epoch& epoch) {
    if (!warm_) {  // allocation, algorithm choice and kernel loading show up in the first step and
                   // nowhere else
      warm_ = true;
      parts_.workload.synchronize();
      parts_.record.append(
          record::Span{"first_iteration", row.epoch, row.start_s, now() - row.start_s});
    }
    epoch.wait_s += row.wait_s;
    ++epoch.iterations;
    iterations_.add(row);
    if (now() - flushed_at_s_ >= parts_.output.flush_interval.value) {
      flush();
    }
  }

  /// Everything behind the last step of an epoch; flushed before anybody is told.
  void close_epoch(record::Epoch& row) {
    auto metrics = mean_of(parts_.team, parts_.workload.losses());
    metrics.emplace_back("examples_per_s",
                         row.wall_s > 0 ? static_cast<double>(row.samples) / row.wall_s : 0.0);
    const auto of_ranks = rows_.metrics();
    metrics.insert(metrics.end(), of_ranks.begin(), of_ranks.end());
    follow_epoch(row, {row.epoch + 1, 0}, metrics);
    parts_.record.append(row);
    append_metrics(row.epoch, metrics);
    append_metrics(row.epoch, peaks_of(parts_.team, parts_.workload));
    append_recorder_time(row.epoch);
    flush();
    saved_.publish();
    tell(&Observer::epoch_ends, row, metrics);
  }

  /// Evaluation, pictures and checkpoint behind the last step; training goes on from `next`.
  void follow_epoch(record::Epoch& row, const Position& next, Metrics& metrics) {
    row.evaluate_s += timed("evaluate", row.epoch, [&] {
      const auto scores = evaluate();
      metrics.insert(metrics.end(), scores.begin(), scores.end());
      return !scores.empty();
    });
    row.evaluate_s += timed("sample", row.epoch, [&] { return sample(row.epoch); });
    row.checkpoint_s = timed("checkpoint", row.epoch, [&] {
      const auto every = parts_.output.checkpoint_every;
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
    return every > 0 && (epoch + 1) % every == 0 && parts_.team.is_first() &&
           parts_.workload.sample(parts_.folder / fmt::format("epoch-{:04}.png", epoch + 1));
  }

  std::string target_text() const {
    return "reached target_accuracy=" + to_text(parts_.config.target_accuracy) + " after ";
  }

  TrainingResult end_early(const TrainingResult& end, Position place) {
    if (end.stopped) {
      timed("checkpoint", place.epoch, [&] { return saved_.save(place); });
    }
    append_metrics(place.epoch, peaks_of(parts_.team, parts_.workload));
    flush();
    saved_.publish();
    return end;
  }

  const TrainingParts& parts_;
  const record::Work work_;
  const UpdatePlan plan_;
  RankRows rows_;
  IterationLog iterations_;
  SavedStates saved_;
  const bool reads_losses_;
  double trains_since_s_ = 0;  ///< Without an evaluation.
  bool warm_ = false;
  double flushed_at_s_ = 0;
  double recorder_counted_s_ = 0;
};

}  // namespace

TrainingResult train(const TrainingParts& parts, Position from) {
  return Loop(parts, from).run(from);
}

}  // namespace epochcast::train
