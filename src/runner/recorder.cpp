#include "src/runner/recorder.hpp"

#include <chrono>
#include <utility>

#include "src/base/core/error.hpp"

namespace epochcast::runner {
namespace {

constexpr auto tick = std::chrono::milliseconds(100);
constexpr double least_flush_s = 0.2;      ///< Between flushes, however short the epochs are.
constexpr std::size_t most_rows = 20'000;  ///< Kept between flushes, however much is printed.

}  // namespace

void CommandRecorder::start(std::function<void(const Progress&)> watch) {
  watch_ = std::move(watch);
  thread_.start(tick, [this] {
    read_files(parts_.clock.now_s(), false);
    write();
  });
}

void CommandRecorder::read(progress::Stream stream, std::string_view bytes, double at_s) {
  const std::lock_guard lock(recognizer_mutex_);
  parts_.recognizer.read(stream, bytes, at_s);
  stated_.read(bytes);
}

void CommandRecorder::write(bool ended) {
  const double now_s = parts_.clock.now_s();
  progress::Rows rows;
  progress::Position position;
  std::vector<record::ParameterRow> stated;
  {
    const std::lock_guard lock(recognizer_mutex_);
    parts_.recognizer.tick(now_s);
    rows = parts_.recognizer.take();
    position = parts_.recognizer.position();
    if (hook_ != nullptr) {
      rows = hook_->merged(std::move(rows), parts_.recognizer.source() == "events", ended);
      position = hook_->position(position);
    }
    stated = stated_.take();
  }
  for (const auto& parameter : stated) {
    parts_.record.append(parameter);
  }
  append(rows);
  for (const auto& row : rows.epochs) {
    epochs_.done = row.epoch + 1;
    ++epochs_.rows;
    epochs_.without_time += row.wall_s + row.evaluate_s == 0 ? 1 : 0;
  }
  if (!position.epochs && epochs_.done > 0 && parts_.epochs_of_command >= epochs_.done) {
    position.epochs = parts_.epochs_of_command;
  }
  epochs_.stated = position.epochs.value_or(0);
  state_length(position);
  const bool epoch_ended = !rows.epochs.empty();
  parts_.telemetry.write(parts_.record, rows.epochs);
  const double wait_s = epoch_ended ? least_flush_s : parts_.flush_interval_s;
  unflushed_ += rows.metrics.size() + rows.iterations.size() + rows.epochs.size();
  if (now_s - flushed_s_ >= wait_s || unflushed_ > most_rows) {
    flushed_s_ = now_s;
    unflushed_ = 0;
    if (parts_.others != nullptr) {
      parts_.others->collect(parts_.record, parts_.telemetry);
    }
    try {
      parts_.record.flush();
    } catch (const Error&) {  // a full disk; the rows stay, and the last flush tells it
    }
  }
  if (watch_) {
    watch_({now_s, position, rows, std::move(stated)});
  }
}

/// The relays do not wait while a file is read.
void CommandRecorder::read_files(double now_s, bool ended) {
  if (hook_ != nullptr) {
    hook_->read(now_s, ended);
  }
  if (files_ == nullptr) {
    return;
  }
  const auto readings = ended ? files_->finish(now_s) : files_->read(now_s);
  const std::lock_guard lock(recognizer_mutex_);
  for (const auto& [reading, at_s] : readings) {
    parts_.recognizer.read(reading, at_s, files_->source());
  }
}

void CommandRecorder::append(const progress::Rows& rows) {
  for (const auto& row : rows.epochs) {
    parts_.record.append(row);
  }
  for (const auto& row : rows.iterations) {
    parts_.record.append(row);
  }
  for (const auto& row : rows.metrics) {
    parts_.record.append(row);
  }
  for (const auto& row : rows.spans) {
    parts_.record.append(row);
  }
}

/// The length of the run, once the program has stated it: forecasts need it.
void CommandRecorder::state_length(const progress::Position& position) {
  if (!parts_.states_epochs && position.epochs) {
    parts_.states_epochs = true;
    parts_.record.append(record::ParameterRow{.name = "epochs",
                                              .value = std::to_string(*position.epochs),
                                              .type = "integer",
                                              .unit = "epochs"});
  }
  if (!states_steps_ && position.steps && *position.steps > 0) {
    states_steps_ = true;
    parts_.record.append(record::Work{.iterations_per_epoch = *position.steps});
  }
}

void CommandRecorder::finish(double start_s, double end_s) {
  thread_.stop();
  watch_ = nullptr;
  read_files(end_s, true);
  parts_.recognizer.finish(end_s);
  parts_.telemetry.end();
  write(true);
  if (parts_.others != nullptr) {
    parts_.others->finish(parts_.record, parts_.telemetry);
  }
  parts_.telemetry.finish(parts_.record, start_s, end_s);
}

}  // namespace epochcast::runner
