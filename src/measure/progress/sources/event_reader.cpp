#include "src/measure/progress/sources/event_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::progress::sources {
namespace {

Reading event_reading(Event event) {
  Reading reading{.epoch = event.epoch,
                  .epochs = event.epochs,
                  .step = event.step,
                  .steps = event.steps,
                  .samples = event.samples,
                  .metrics = std::move(event.metrics)};
  if (event.kind == EventKind::evaluate_begin) {
    reading.phase = Phase::evaluate;
    reading.step = reading.step.value_or(0);  // it begins here
  }
  reading.begins_epoch = event.kind == EventKind::epoch_begin;
  reading.ends_epoch = event.kind == EventKind::epoch_end;
  reading.drops_open = event.kind == EventKind::epoch_drop;
  reading.ends_run = event.kind == EventKind::train_end || reading.drops_open;
  return reading;
}

}  // namespace

std::string_view EventWriter::objection(const Event& event) const {
  const bool begins = event.kind == EventKind::train_begin;
  if (ended_ && !begins && event.kind != EventKind::metrics) {
    return "events after the end of the training are left out";
  }
  const bool of_other = known_ && event.pid != pid_ && !(ended_ && begins);
  return of_other && (event.rank != 0 || (is_rank_0_ && !begins))
             ? "events of other processes are left out"
             : "";
}

void EventWriter::take(const Event& event) {
  known_ = true;
  pid_ = event.pid;
  is_rank_0_ = event.rank == 0;
  ended_ = event.kind != EventKind::train_begin && (ended_ || event.kind == EventKind::train_end);
}

void EventEpochs::begin(std::optional<std::int64_t> epochs, bool goes_on) {
  epochs_ = epochs;
  if (epoch_ >= 0) {
    counted_before_ = goes_on ? std::nullopt : std::optional<std::int64_t>(0);
  }
}

void EventEpochs::complete(Event& event) {
  const bool begins = event.kind == EventKind::epoch_begin;
  const bool of_epoch =
      begins || event.kind == EventKind::step || event.kind == EventKind::epoch_end;
  if (!counted_before_ && begins) {
    counted_before_ = epoch_ + 1 - event.epoch.value_or(0);
  }
  for (auto* number : {&event.epoch, &event.epochs, &epochs_}) {
    if (*number) {
      **number += counted_before_.value_or(0);
    }
  }
  if (!event.epoch) {
    event.epoch = of_epoch && (begins || !in_epoch_) ? epoch_ + 1 : epoch_;
  }
  if (of_epoch) {
    epoch_ = *event.epoch;
    in_epoch_ = event.kind != EventKind::epoch_end;
  }
  if (event.kind == EventKind::epoch_drop && in_epoch_) {
    in_epoch_ = false;
    --epoch_;
  }
  if (!event.epochs) {
    event.epochs = epochs_;
  }
  epochs_.reset();
}

std::optional<TimedReading> EventReader::read(const FileLine& line, double now_s) {
  auto event = parse(line);
  const auto place = fmt::format("line {}", line.number);
  if (!event || !counts(*event, place)) {
    return std::nullopt;
  }
  if (event->kind == EventKind::note) {
    note(event->text);
    return std::nullopt;
  }
  if (event->kind == EventKind::train_begin) {
    return std::nullopt;  // no epoch has begun
  }
  epochs_.complete(*event);
  const auto at_s = time_of(*event, now_s, place);
  return at_s ? std::optional(TimedReading{event_reading(std::move(*event)), *at_s}) : std::nullopt;
}

void EventReader::restarted() {
  remarks_.add("times it was truncated or replaced while the program ran", "what it held was kept");
}

std::optional<Event> EventReader::parse(const FileLine& line) {
  if (trim(line.text).empty()) {
    return std::nullopt;
  }
  try {
    if (line.too_long) {
      throw Error("the line is too long");
    }
    return parse_event(line.text);
  } catch (const Error& error) {
    remarks_.add("lines are no events", fmt::format("line {}: {}", line.number, error.what()));
    return std::nullopt;
  }
}

void EventReader::note(const std::string& text) {
  constexpr std::size_t most_notes = 10;
  if (notes_.size() < most_notes && std::ranges::find(notes_, text) == notes_.end()) {
    notes_.push_back(text);
  }
}

bool EventReader::counts(const Event& event, const std::string& place) {
  if (event.rank.value_or(0) != 0) {
    return false;
  }
  const bool evaluates =
      event.kind == EventKind::evaluate_begin || event.kind == EventKind::evaluate_end;
  if (event.kind == EventKind::note || ((writer_.ended() || epochs_.between()) && evaluates)) {
    return !evaluates;  // one after a training, or before one, is no epoch's
  }
  if (const auto objection = writer_.objection(event); !objection.empty()) {
    remarks_.add(std::string(objection), place);
    return false;
  }
  if (event.kind == EventKind::train_begin) {
    epochs_.begin(event.epochs, writer_.goes_on(event));
  }
  writer_.take(event);
  return true;
}

std::optional<double> EventReader::time_of(const Event& event, double now_s,
                                           const std::string& place) {
  constexpr double slack_s = 0.01;
  if (!live_ && !event.time_ns) {
    remarks_.add("events have no time and are left out", place);
    return std::nullopt;
  }
  if (!zero_) {
    zero_ = ClockZero{.monotonic_ns = *event.time_ns};
  }
  const double stated_s =
      event.time_ns ? static_cast<double>(*event.time_ns - zero_->monotonic_ns) * 1e-9 : now_s;
  if (!live_) {
    return stated_s;
  }
  double at_s = std::min(stated_s, now_s);
  if (stated_s < last_s_ - slack_s || stated_s > now_s + slack_s) {
    remarks_.add("times are before the last event or after now: the time of reading was taken",
                 place);
    at_s = now_s;
  }
  last_s_ = std::max(last_s_, at_s);
  return last_s_;
}

}  // namespace epochcast::progress::sources
