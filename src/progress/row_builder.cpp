#include "src/progress/row_builder.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::progress {
namespace {

/// An evaluation that follows an epoch begins within this time, or is not counted to the epoch.
constexpr double settle_s = 1;

bool complete(const Reading& reading) {
  return reading.step && reading.steps && *reading.step >= *reading.steps;
}

}  // namespace

void RowBuilder::read(const Reading& reading, std::optional<double> at_s) {
  timed_ = at_s.has_value();
  const double time_s = at_s.value_or(now_s_);
  tick(time_s);
  if (reading.epochs) {
    position_.epochs = reading.epochs;
  }
  if (reading.phase == Phase::evaluate) {
    evaluate(reading, time_s);
  } else {
    train(reading, time_s);
  }
}

void RowBuilder::tick(double at_s) {
  now_s_ = std::max(now_s_, at_s);
  if (held_ && !evaluating_since_s_ && now_s_ - held_since_s_ >= settle_s) {
    release();
  }
}

void RowBuilder::evaluate(const Reading& reading, double at_s) {
  if (!evaluating_since_s_) {
    const bool just_begun = reading.step.value_or(0) == 0;
    evaluating_since_s_ = just_begun ? at_s : std::max(last_train_s_, last_end_s_);
  }
  evaluation_whole_ = complete(reading);
  if (evaluation_whole_) {
    last_end_s_ = at_s;
  }
  add_metrics(reading);
  if (reading.ends_epoch) {
    train(reading, at_s);
  }
}

void RowBuilder::close_evaluation(const Reading& next, double at_s) {
  const double end_s = evaluation_whole_ ? last_end_s_ : at_s;
  const double duration_s = std::max(0.0, end_s - *evaluating_since_s_);
  const bool within = open_ && !next.ends_epoch && !next.begins_epoch &&
                      next.epoch.value_or(open_->epoch) == open_->epoch && !held_;
  const auto epoch = held_ ? held_->epoch : open_ ? open_->epoch : next_epoch_ - 1;
  rows_.spans.push_back({.name = within ? "evaluate_within" : "evaluate",
                         .epoch = epoch,
                         .start_s = *evaluating_since_s_,
                         .duration_s = duration_s});
  if (held_) {
    held_->evaluate_s += duration_s;
    last_end_s_ = end_s;
  } else if (open_) {
    open_->evaluate_s += duration_s;
  }
  evaluating_since_s_.reset();
  if (last_print_) {
    last_print_->at_s += duration_s;  // the steps after it do not take this time
  }
}

void RowBuilder::train(const Reading& reading, double at_s) {
  if (evaluating_since_s_) {
    close_evaluation(reading, at_s);
  }
  const auto epoch = reading.epoch.value_or(open_ ? open_->epoch : next_epoch_);
  if (!open_ && epoch < next_epoch_ && !reading.begins_epoch) {
    add_metrics(reading);  // more about an epoch that is over
    return;
  }
  if (reading.begins_epoch || !open_ || open_->epoch != epoch) {
    if (open_ && (open_->epoch != epoch || open_->step > 0)) {
      end(at_s, true);
    }
    begin(epoch, reading, at_s);
  }
  if (reading.step) {
    step(reading, at_s);
  }
  if (reading.samples) {
    open_->samples = *reading.samples;
  }
  if (reading.duration_s && reading.ends_epoch) {
    open_->stated_s = *reading.duration_s;
  }
  add_metrics(reading);
  last_train_s_ = at_s;
  if (reading.ends_epoch) {
    end(at_s, false);
  }
}

void RowBuilder::begin(std::int64_t epoch, const Reading& reading, double at_s) {
  if (held_) {
    release();
  }
  double start_s = last_end_s_;
  if (reading.begins_epoch) {
    start_s = at_s;
  } else if (!begun_) {
    const auto before_s = reading.ends_epoch  ? reading.duration_s.value_or(at_s)
                          : reading.elapsed_s ? *reading.elapsed_s
                                              : 0;
    start_s = std::max(0.0, at_s - before_s);
  }
  if (!begun_ && timed_ && start_s > 0) {
    rows_.spans.push_back(record::run_span("init", 0, start_s));
  }
  begun_ = true;
  open_ = Open{.epoch = epoch, .start_s = start_s};
  next_epoch_ = epoch + 1;
  position_.epoch = epoch;
  position_.step.reset();
  position_.steps.reset();
  last_print_.reset();
  if (reading.begins_epoch || position_.epochs_done > 0) {
    last_print_ = Print{.step = 0, .at_s = start_s};
  }
}

void RowBuilder::step(const Reading& reading, double at_s) {
  const auto done = *reading.step;
  if (last_print_ && done > last_print_->step) {
    const auto steps = done - last_print_->step;
    const double step_s = (at_s - last_print_->at_s) / static_cast<double>(steps);
    rows_.iterations.push_back({.epoch = open_->epoch,
                                .index = done - 1,
                                .start_s = at_s - step_s,
                                .step_s = timed_ ? step_s : reading.duration_s.value_or(0),
                                .samples = reading.samples.value_or(0)});
  }
  if (!last_print_ || done > last_print_->step) {
    last_print_ = Print{.step = done, .at_s = at_s};
  }
  open_->step = std::max(open_->step, done);
  position_.step = done;
  if (reading.steps) {
    open_->steps = reading.steps;
    position_.steps = reading.steps;
  }
}

void RowBuilder::end(double at_s, bool settled) {
  const double wall_s = timed_ ? at_s - open_->start_s - open_->evaluate_s : open_->stated_s;
  held_ = record::Epoch{.epoch = open_->epoch,
                        .start_s = open_->start_s,
                        .wall_s = std::max(0.0, wall_s),
                        .evaluate_s = open_->evaluate_s,
                        .samples = open_->samples,
                        .iterations = open_->step};
  if (!timed_) {
    now_s_ += held_->wall_s;
  }
  for (const auto& [name, value] : open_->metrics) {
    add_metric(open_->epoch, name, value, 0);
  }
  held_since_s_ = timed_ ? at_s : now_s_;
  last_end_s_ = held_since_s_;
  open_.reset();
  ++position_.epochs_done;
  if (settled) {
    release();
  }
}

void RowBuilder::release() {
  rows_.epochs.push_back(*held_);
  held_.reset();
}

void RowBuilder::add_metrics(const Reading& reading) {
  const auto epoch = reading.epoch.value_or(open_ ? open_->epoch : next_epoch_ - 1);
  for (const auto& metric : reading.metrics) {
    if (reading.running && open_) {
      open_->metrics[metric.name] = metric.value;
    } else {
      const bool of_step = reading.step && !reading.ends_epoch && reading.phase == Phase::train;
      add_metric(epoch, metric.name, metric.value, of_step ? *reading.step : 0);
    }
  }
}

void RowBuilder::add_metric(std::int64_t epoch, const std::string& name, double value,
                            std::int64_t step) {
  rows_.metrics.push_back({.epoch = epoch, .name = name, .value = value, .iteration = step});
}

void RowBuilder::finish() {
  if (evaluating_since_s_) {
    close_evaluation({.begins_epoch = true}, now_s_);
  }
  if (open_ && open_->steps && open_->step >= *open_->steps) {
    end(std::max(last_train_s_, last_end_s_), true);
  }
  if (held_) {
    release();
  }
}

Rows RowBuilder::take() {
  return std::exchange(rows_, {});
}

}  // namespace epochcast::progress
