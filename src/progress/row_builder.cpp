#include "src/progress/row_builder.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::progress {
namespace {

/// An evaluation that follows an epoch begins within this time, or is not counted to the epoch.
constexpr double settle_s = 1;
constexpr std::size_t most_waiting = 8192;
constexpr std::size_t most_names = 64;
/// More epochs than that do not pass between two prints.
constexpr std::int64_t most_at_once = 10'000;

bool complete(const Reading& reading) {
  return reading.step && reading.steps && *reading.step >= *reading.steps;
}

bool countable(const std::optional<std::int64_t>& count) {
  constexpr std::int64_t most = 1'000'000'000'000'000;
  return !count || (*count >= 0 && *count <= most);
}

/// Without what cannot be: such a number was cut off, or is something else. std::nullopt if nothing
/// is left of the reading.
std::optional<Reading> possible(Reading reading) {
  constexpr double longest_s = 1e9;  // 30 years
  if (!countable(reading.epoch) || !countable(reading.epochs) || !countable(reading.step) ||
      !countable(reading.steps) || !countable(reading.samples)) {
    return std::nullopt;
  }
  for (auto* time_s : {&reading.elapsed_s, &reading.duration_s}) {
    if (*time_s && !(**time_s >= 0 && **time_s <= longest_s)) {
      time_s->reset();
    }
  }
  if (reading.part && !(*reading.part >= 0 && *reading.part <= 1)) {
    reading.part.reset();
  }
  std::erase_if(reading.metrics, [](const auto& metric) { return !std::isfinite(metric.value); });
  return reading;
}

void set(std::map<std::string, double>& values, const NamedValue& value) {
  if (values.size() < most_names || values.contains(value.name)) {
    values[value.name] = value.value;
  }
}

}  // namespace

void RowBuilder::read(const Reading& found, std::optional<double> at_s) {
  const auto checked = possible(found);
  if (!checked) {
    return;
  }
  const auto& reading = *checked;
  timed_ = at_s.has_value();
  // A stamp of the program's own may be older than the last tick.
  const double time_s = at_s ? std::max(*at_s, last_read_s_) : now_s_;
  last_read_s_ = time_s;
  tick(time_s);
  if (reading.epochs && (offset_ == 0 || *reading.epochs > 1)) {
    position_.epochs = *reading.epochs + offset_;
  }
  if (reading.phase == Phase::evaluate) {
    evaluate(reading, time_s);
  } else {
    train(reading, time_s);
  }
}

void RowBuilder::tick(double at_s) {
  now_s_ = std::max(now_s_, at_s);
  if (timed_ && held_ && !evaluating_since_s_ && now_s_ - last_end_s_ >= settle_s) {
    release();
  }
}

void RowBuilder::evaluate(const Reading& reading, double at_s) {
  if (!begun_) {
    return;  // before the first epoch: part of the start-up
  }
  if (!evaluating_since_s_) {
    const bool just_begun = reading.step.value_or(0) == 0;
    evaluating_since_s_ = just_begun ? at_s : std::max(last_train_s_, last_end_s_);
  }
  evaluation_whole_ = complete(reading);
  if (open_ && reading.epoch.value_or(open_->epoch - offset_) + offset_ == open_->epoch) {
    open_->part = std::max(open_->part, reading.part.value_or(0));
  }
  last_end_s_ = at_s;
  for (const auto& metric : reading.metrics) {
    set(evaluation_metrics_, metric);
  }
}

void RowBuilder::close_evaluation(const Reading& next, double at_s) {
  const double end_s = evaluation_whole_ ? last_end_s_ : at_s;
  const double duration_s = timed_ ? std::max(0.0, end_s - *evaluating_since_s_) : 0;
  const bool within = open_ && !open_->whole() && !next.ends_epoch && !next.begins_epoch &&
                      next.epoch.value_or(open_->epoch - offset_) + offset_ == open_->epoch;
  const auto epoch = open_ ? open_->epoch : next_epoch_ - 1;
  if (duration_s > 0) {
    rows_.spans.push_back({.name = within ? "evaluate_within" : "evaluate",
                           .epoch = epoch,
                           .start_s = *evaluating_since_s_,
                           .duration_s = duration_s});
  }
  for (const auto& [name, value] : evaluation_metrics_) {
    add_metric(epoch, name, value, within ? open_->step : 0);
  }
  if (open_) {
    open_->evaluate_s += duration_s;
  } else if (held_) {
    held_->evaluate_s += duration_s;
  }
  if (last_print_) {
    last_print_->at_s = end_s;  // the steps after it do not take this time
  }
  last_end_s_ = end_s;
  evaluated_since_train_ = true;
  evaluating_since_s_.reset();
  evaluation_metrics_.clear();
}

bool RowBuilder::begins_again(const Reading& reading) const {
  const auto epoch = reading.epoch.value_or(0) + offset_;
  return reading.begins_epoch && reading.epoch && epoch < next_epoch_ &&
         (!open_ || open_->epoch != epoch || open_->step > 0);
}

std::int64_t RowBuilder::number_of(const Reading& reading) {
  if (!reading.epoch) {
    return open_ ? open_->epoch : next_epoch_;
  }
  if (begins_again(reading)) {
    offset_ = next_epoch_ - *reading.epoch;
    position_.epochs = reading.epochs && *reading.epochs > 1
                           ? std::optional(*reading.epochs + offset_)
                           : std::nullopt;
  }
  return *reading.epoch + offset_;
}

void RowBuilder::train(const Reading& reading, double at_s) {
  if (evaluating_since_s_) {
    close_evaluation(reading, at_s);
  }
  const auto epoch = number_of(reading);
  const bool is_over = epoch < next_epoch_ && (!open_ || epoch < open_->epoch);
  if (is_over || (reading.ends_run && !reading.ends_epoch)) {
    add_metrics(reading, epoch);
    if (reading.ends_run && open_ && (open_->whole() || reading.part == 1)) {
      end(evaluated_since_train_ ? last_end_s_ : at_s);
    }
    return;
  }
  if (!open_ || open_->epoch != epoch) {
    if (open_ && reading.begins_epoch && open_->step == 0 && epoch > open_->epoch + 1) {
      end_several(epoch, at_s);
    } else if (open_) {
      end(end_before(reading, at_s));
    }
    begin(epoch, reading, at_s);
  }
  if (reading.step) {
    step(reading, at_s);
  }
  open_->part = std::max(open_->part, reading.part.value_or(0));
  if (reading.samples && reading.ends_epoch) {
    open_->samples = *reading.samples;
  }
  if (reading.ends_epoch) {
    open_->stated_s = reading.duration_s.value_or(open_->stated_s);
  } else if (reading.elapsed_s && !reading.of_run) {
    open_->stated_s = std::max(open_->stated_s, *reading.elapsed_s);
  }
  add_metrics(reading, epoch);
  last_train_s_ = at_s;
  if (!reading.ends_epoch || !evaluated_since_train_) {
    evaluated_since_train_ = false;
  }
  if (reading.ends_epoch) {
    end(at_s);
  }
}

/// Where the open epoch ended, of which the next one's first print is here.
double RowBuilder::end_before(const Reading& next, double at_s) const {
  if (next.begins_epoch && !evaluated_since_train_) {
    return at_s;
  }
  const double from_s = std::max(last_train_s_, last_end_s_);
  if (evaluated_since_train_ || next.begins_epoch) {
    return next.begins_epoch ? at_s : from_s;
  }
  const bool by_steps = open_->steps && next.step;
  const double missing =
      by_steps ? static_cast<double>(std::max<std::int64_t>(0, *open_->steps - open_->step))
               : std::max(0.0, 1 - open_->part);
  const double done = by_steps ? static_cast<double>(*next.step) : next.part.value_or(0);
  return missing + done > 0 && (by_steps || next.part)
             ? from_s + (at_s - from_s) * missing / (missing + done)
             : at_s;
}

void RowBuilder::begin(std::int64_t epoch, const Reading& reading, double at_s) {
  if (held_) {
    release();
  }
  double start_s = last_end_s_;
  if (reading.begins_epoch) {
    start_s = at_s;
  } else if (!begun_) {
    const double steps_s =
        reading.duration_s.value_or(0) * static_cast<double>(reading.step.value_or(0));
    const double before_s = reading.ends_epoch  ? reading.duration_s.value_or(at_s)
                            : reading.elapsed_s ? *reading.elapsed_s
                                                : steps_s;
    start_s = std::max(0.0, at_s - before_s);
  }
  if (!begun_ && timed_ && start_s > 0) {
    rows_.spans.push_back(record::run_span("init", 0, start_s));
  }
  const bool known_start = reading.begins_epoch || begun_ || start_s < at_s;
  begun_ = true;
  evaluated_since_train_ = false;
  last_train_s_ = start_s;
  open_ = Open{.epoch = epoch, .start_s = start_s};
  next_epoch_ = epoch + 1;
  position_.epoch = epoch;
  position_.step.reset();
  position_.steps.reset();
  last_print_.reset();
  if (known_start) {
    last_print_ = Print{.step = 0, .at_s = start_s};
  }
}

void RowBuilder::step(const Reading& reading, double at_s) {
  const auto done = *reading.step;
  if (last_print_ && done > last_print_->step && !full(rows_.iterations.size())) {
    const auto steps = done - last_print_->step;
    const double step_s = std::max(0.0, at_s - last_print_->at_s) / static_cast<double>(steps);
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
  position_.step = open_->step;
  if (reading.steps) {
    open_->steps = reading.steps;
    position_.steps = reading.steps;
  }
}

void RowBuilder::end(double at_s) {
  const double wall_s = timed_ ? at_s - open_->start_s - open_->evaluate_s : open_->stated_s;
  held_ = record::Epoch{.epoch = open_->epoch,
                        .start_s = open_->start_s,
                        .wall_s = std::max(0.0, wall_s),
                        .evaluate_s = open_->evaluate_s,
                        .samples = open_->samples,
                        .iterations = open_->steps.value_or(open_->step)};
  if (!timed_) {
    now_s_ += held_->wall_s;
  }
  for (const auto& [name, value] : open_->metrics) {
    add_metric(open_->epoch, name, value, 0);
  }
  add_metrics_of_parts();
  last_end_s_ = timed_ ? at_s : now_s_;
  open_.reset();
  ++position_.epochs_done;
}

/// What was printed with a part of the epoch: at its step, if the steps are known by now; else the
/// last of each name counts.
void RowBuilder::add_metrics_of_parts() {
  std::map<std::string, double> last;
  for (const auto& [part, metric] : open_->of_parts) {
    if (open_->steps) {
      add_metric(open_->epoch, metric.name, metric.value,
                 std::llround(part * static_cast<double>(*open_->steps)));
    } else {
      set(last, metric);
    }
  }
  for (const auto& [name, value] : last) {
    add_metric(open_->epoch, name, value, 0);
  }
}

/// The bar of epochs was drawn too seldom for each of them: they share the time.
void RowBuilder::end_several(std::int64_t next, double at_s) {
  const auto count = std::min(next - open_->epoch, most_at_once);
  const double start_s = open_->start_s;
  for (std::int64_t i = 0; i < count; ++i) {
    const double end_s =
        start_s + (at_s - start_s) * static_cast<double>(i + 1) / static_cast<double>(count);
    const auto epoch = open_->epoch;
    end(end_s);
    if (i + 1 < count) {
      release();
      open_ = Open{.epoch = epoch + 1, .start_s = end_s};
    }
  }
}

void RowBuilder::release() {
  rows_.epochs.push_back(*held_);
  held_.reset();
}

void RowBuilder::add_metrics(const Reading& reading, std::int64_t epoch) {
  const bool open = open_ && open_->epoch == epoch;
  for (const auto& metric : reading.metrics) {
    if (reading.running && open) {
      set(open_->metrics, metric);
    } else if (reading.part && !reading.step && open) {
      if (!full(open_->of_parts.size())) {
        open_->of_parts.emplace_back(*reading.part, metric);
      }
    } else if (reading.ends_run && !reading.ends_epoch) {
      add_metric(-1, metric.name, metric.value, 0);
    } else {
      const bool of_step = reading.step && !reading.ends_epoch;
      add_metric(epoch, metric.name, metric.value, of_step ? *reading.step : 0);
    }
  }
}

void RowBuilder::add_metric(std::int64_t epoch, const std::string& name, double value,
                            std::int64_t step) {
  if (!full(rows_.metrics.size())) {
    rows_.metrics.push_back({.epoch = epoch, .name = name, .value = value, .iteration = step});
  }
}

bool RowBuilder::full(std::size_t rows) const {
  return !keeps_all_ && rows >= most_waiting;
}

void RowBuilder::finish() {
  if (evaluating_since_s_) {
    close_evaluation({.begins_epoch = true}, now_s_);
  }
  if (open_ && open_->whole()) {
    end(std::max(last_train_s_, last_end_s_));
  }
  if (held_) {
    release();
  }
}

Rows RowBuilder::take() {
  return std::exchange(rows_, {});
}

}  // namespace epochcast::progress
