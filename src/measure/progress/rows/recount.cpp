#include "src/measure/progress/rows/recount.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/base/core/lists.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t most_after_it = 64;

/// What the reading counts from the start of the run, if it does: rounds, or steps.
std::optional<std::int64_t> count_of_run(const Reading& reading) {
  if (reading.phase == Phase::train && reading.ends_epoch && reading.since_epoch) {
    return reading.epoch;
  }
  const bool steps = reading.phase == Phase::train && (reading.of_run || reading.epochs == 1);
  return steps ? reading.step : std::nullopt;
}

}  // namespace

std::vector<TimedReading> Recount::add(TimedReading next) {
  auto& reading = next.reading;
  std::vector<TimedReading> known;
  if (reading.phase == Phase::other || reading.phase == Phase::values) {
    if (waiting_.empty()) {
      known.push_back(std::move(next));
    }
    return known;
  }
  if (reading.begins_epoch || reading.restart.what != Statement::none ||
      !reading.conflict.empty()) {
    known = let_go();
    first_.reset();
    last_.reset();
    again_ = again_ || (reading.epoch && epoch_ && *reading.epoch <= *epoch_);
    epoch_ = reading.epoch;
  } else if (reading.phase == Phase::train && reading.epoch) {
    epoch_ = reading.epoch;
  }
  const auto count = count_of_run(reading);
  if (!count) {
    if (waiting_.size() >= most_after_it) {
      append(known, let_go());
    }
    if (waiting_.empty()) {
      count_clock_on(reading);
      known.push_back(std::move(next));
    } else {
      waiting_.push_back(std::move(next));
    }
    return known;
  }
  if (!waiting_.empty()) {
    const auto before = *count_of_run(waiting_.front().reading);
    if (before == first_ && *count > before && *count <= *last_) {
      begin_again(before);
      known = std::exchange(waiting_, {});
    } else {
      known = let_go();
    }
  }
  if (last_ && *count < *last_) {
    waiting_.push_back(std::move(next));
    return known;
  }
  first_ = first_.value_or(*count);
  last_ = count;
  whole_ = is_complete(reading);
  count_clock_on(reading);
  known.push_back(std::move(next));
  return known;
}

void Recount::begin_again(std::int64_t count) {
  auto& reading = waiting_.front().reading;
  if (reading.ends_epoch || whole_) {
    reading.restart.what = Statement::new_phase;
    reading.restart.at_s = waiting_.front().at_s;
  } else {
    reading.conflict = fmt::format("the steps begin again at {} after {}", count, *last_);
  }
  again_ = true;
  for (auto& waiting : waiting_) {
    count_clock_on(waiting.reading);
  }
  last_ = count;
}

void Recount::count_clock_on(Reading& reading) {
  if (reading.phase == Phase::evaluate) {
    clock_s_ += reading.duration_s.value_or(0);
  }
  if (!reading.clock_s) {
    return;
  }
  if (std::exchange(again_, false) && *reading.clock_s + clock_base_s_ < clock_s_) {
    clock_base_s_ = clock_s_;
  }
  clock_s_ = *reading.clock_s += clock_base_s_;
}

/// An earlier number that nothing goes on from says nothing new about its round.
std::vector<TimedReading> Recount::let_go() {
  if (!waiting_.empty() && waiting_.front().reading.ends_epoch) {
    waiting_.erase(waiting_.begin());
  }
  return std::exchange(waiting_, {});
}

}  // namespace epochcast::progress
