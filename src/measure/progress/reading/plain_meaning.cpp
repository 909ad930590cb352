#include "src/measure/progress/reading/plain_meaning.hpp"

#include <algorithm>
#include <utility>

namespace epochcast::progress {
namespace {

/// A line that looks like a heading ("====> Epoch: 3") ends the epoch if other lines of the same
/// epoch come before it, and never after it.
const PlainSeries* closing_series(const PlainSeriesSet& all, const std::vector<PlainSeen>& lines) {
  struct Order {
    bool closes = false, opens = false;
  };
  std::map<const PlainSeries*, Order> orders;
  std::map<std::int64_t, const PlainSeries*> first_of;
  for (const auto& seen : lines) {
    const auto* series = all.of(seen.line);
    if (series == nullptr || series->means() == LineRole::mention || seen.line.evaluates) {
      continue;
    }
    const auto* first = first_of.try_emplace(seen.line.epoch, series).first->second;
    if (first != series && first->means() == LineRole::step &&
        series->means() == LineRole::heading) {
      orders[series].closes = true;
    } else if (first != series && first->means() == LineRole::heading) {
      orders[first].opens = true;
    }
  }
  for (const auto& [series, order] : orders) {
    if (order.closes && !order.opens && series->advances > 0) {
      return series;
    }
  }
  return nullptr;
}

/// The numbers of the first lines of the series, each once.
std::vector<std::int64_t> numbers_of(const PlainSeries& series, const PlainSeriesSet& all,
                                     const std::vector<PlainSeen>& lines) {
  std::vector<std::int64_t> numbers;
  for (const auto& seen : lines) {
    if (all.of(seen.line) == &series && (numbers.empty() || numbers.back() != seen.line.epoch)) {
      numbers.push_back(seen.line.epoch);
    }
  }
  return numbers;
}

/// Whether the stated times since the start never begin again.
bool goes_up(const std::vector<PlainSeen>& lines) {
  double last_s = 0;
  for (const auto& seen : lines) {
    if (seen.line.elapsed_s && *seen.line.elapsed_s < last_s) {
      return false;
    }
    last_s = seen.line.elapsed_s.value_or(last_s);
  }
  return true;
}

/// Of a line each tenth epoch, the first may be of epoch 0, 1, 9 or 10.
std::int64_t base_of(const PlainSeries& counter, std::int64_t first, std::int64_t stride) {
  if (first == 0 || (stride > 1 && first == stride - 1)) {
    return 0;
  }
  return first == 1 || counter.has_total || (stride > 1 && first == stride) ? 1 : 0;
}

/// Whether its lines state no result, come at once after the line before, and the time passes after
/// them: they tell what begins, whatever their words are.
bool announces(const PlainSeries& counter, const PlainSeriesSet& all,
               const std::vector<PlainSeen>& lines) {
  constexpr double at_once = 0.02, long_after = 0.3;
  constexpr std::int64_t some = 2;
  const PlainSeen* last = nullptr;
  std::int64_t count = 0;
  std::optional<double> next_s;
  for (const auto& seen : lines) {
    next_s = last != nullptr && !next_s ? std::optional(seen.at_s - last->at_s) : next_s;
    if (all.of(seen.line) != &counter) {
      continue;
    }
    if (!seen.timed || seen.line.duration_s || seen.line.metrics.size() != seen.line.whole.size()) {
      return false;
    }
    const double period_s = last != nullptr ? seen.at_s - last->at_s : 0;
    if (last != nullptr && (seen.after_s > at_once * period_s || *next_s < long_after * period_s)) {
      return false;
    }
    ++count;
    last = &seen;
    next_s.reset();
  }
  return count >= some && counter.repeats == 0 && counter.means() == LineRole::summary;
}

/// `announces`: their times show that they begin epochs; `closes`: lines that look like headings
/// end epochs.
CounterLines lines_of(const PlainSeries& counter, bool closes, bool announces) {
  if (counter.means() == LineRole::step) {
    const bool once = counter.repeats == 0 && counter.advances > 1 && counter.steps_grow;
    return once ? CounterLines::end_epochs : CounterLines::steps;  // "epoch 2 | env steps 18000"
  }
  if (closes) {
    return CounterLines::end_epochs;
  }
  if (announces) {
    return CounterLines::begin_epochs;
  }
  if (counter.repeats > 0 && !counter.repeats_at_once()) {
    return CounterLines::several;
  }
  return counter.means() == LineRole::heading ? CounterLines::begin_epochs
                                              : CounterLines::end_epochs;
}

}  // namespace

std::optional<PlainSeen> PlainLines::read(const Line& line) {
  auto parsed = parse_plain_line(line.text);
  const auto announced = std::exchange(announced_, announced_phase(line.text));
  if (!parsed) {
    return std::nullopt;
  }
  if (parsed->unnamed_time && announced) {
    parsed->unnamed_time = false;
    parsed->evaluates = *announced == Phase::evaluate;
  }
  PlainSeen seen{.line = std::move(*parsed),
                 .text = std::string(line.text.substr(0, 200)),
                 .at_s = line.at_s,
                 .since_s = line.since_s,
                 .after_s = line.at_s - std::exchange(last_at_s_, line.at_s),
                 .timed = line.timed};
  if (seen.places()) {
    seen.before = std::exchange(restart_, {});
  }
  return seen;
}

std::optional<PlainMeaning> plain_meaning(const PlainSeriesSet& series, const LooseLines& loose,
                                          const std::vector<PlainSeen>& lines, bool at_end) {
  const auto* counter = series.counter(at_end);
  if (counter == nullptr) {
    return std::nullopt;
  }
  PlainMeaning means;
  const auto* closing = closing_series(series, lines);
  means.counter = closing != nullptr ? closing : counter;
  const auto numbers = numbers_of(*means.counter, series, lines);
  means.stride = numbers.size() > 1 ? numbers[1] - numbers[0] : 1;
  means.base = base_of(*means.counter, numbers.empty() ? means.counter->first : numbers.front(),
                       means.stride);
  const bool closes = means.counter->means() == LineRole::heading &&
                      (closing != nullptr || loose.steps_come_first());
  means.lines = lines_of(*means.counter, closes, announces(*means.counter, series, lines));
  means.duplicates = means.lines != CounterLines::steps && !closes && means.counter->repeats > 0 &&
                     means.counter->repeats_at_once();
  means.elapsed = goes_up(lines) ? ElapsedSince::begin_of_run : ElapsedSince::begin_of_epoch;
  means.evaluates = std::ranges::any_of(
      lines, [](const auto& seen) { return seen.line.epoch >= 0 && seen.line.evaluates; });
  means.durations = means.ends() && loose.durations_come_first() ? LooseDurations::of_epoch_after
                                                                 : LooseDurations::of_epoch_before;
  return means;
}

void PlainMeaning::count_by(const PlainSeries& series) {
  counter = &series;
  lines = lines_of(series, false, false);
}

void LooseLines::count(const PlainLine& line, bool begun) {
  if ((line.step_in_lead ? line.role_of_counter : line.role) == LineRole::heading) {
    in_epoch_.clear();
  }
  if (line.epoch >= 0) {
    return;
  }
  if (line.role == LineRole::summary) {
    const auto count = ++in_epoch_[line.tail];
    most_[line.tail] = std::max(most_[line.tail], count);
  } else if (line.role == LineRole::step) {
    count_step(line, begun);
    any_steps_ = any_steps_ || (begun && !line.evaluates && is_step(line));
  } else if (line.unnamed_time) {
    most_[line.tail] = std::max(most_[line.tail], ++in_epoch_[line.tail]);
    unnamed_times_.insert(line.tail);
  } else if (line.role == LineRole::duration) {
    named_times_ = true;
    const auto found = durations_.find(line.shape);
    if (found != durations_.end()) {
      found->second = found->second || begun;
    } else if (!begun) {
      durations_.emplace(line.shape, false);
    }
  }
}

bool LooseLines::is_step(const PlainLine& line) const {
  const auto found = counts_.find(line.shape);
  return !line.unnamed_step || (found != counts_.end() && found->second.goes_on);
}

std::int64_t LooseLines::steps_done(const PlainLine& line) const {
  const auto found = counts_.find(line.shape);
  const bool from_zero =
      found != counts_.end() && found->second.least == 0 && !found->second.reaches_total;
  return line.step.value_or(0) + (from_zero ? 1 : 0);
}

void LooseLines::count_step(const PlainLine& line, bool begun) {
  constexpr std::size_t most_shapes = 64;
  const auto step = line.step.value_or(0), total = line.steps.value_or(0);
  if (counts_.size() < most_shapes || counts_.contains(line.shape)) {
    auto& count = counts_.try_emplace(line.shape, Count{.least = step}).first->second;
    count.goes_on = count.goes_on || (total > 0 && count.total == total && step > count.last);
    count.reaches_total = count.reaches_total || (total > 0 && step == total);
    count.least = std::min(count.least, step);
    count.last = step;
    count.total = total;
  }
  if (line.unnamed_step) {
    return;
  }
  const auto found = steps_.find(line.shape);
  if (found == steps_.end()) {
    if (!begun && steps_.size() < most_shapes) {
      steps_[line.shape] = {.first = line.step.value_or(0), .lines = 1};
    }
    return;
  }
  auto& steps = found->second;
  if (begun) {
    steps.first_after = steps.first_after.value_or(line.step.value_or(0));
  } else if (++steps.lines == 2) {
    steps.second = line.step.value_or(0);
  }
}

std::int64_t LooseLines::most_in_epoch(const std::string& words) const {
  const auto most = most_.find(words);
  return most == most_.end() ? 0 : most->second;
}

bool LooseLines::is_time_of_epoch(const PlainLine& line) const {
  return line.unnamed_time && !named_times_ && unnamed_times_.size() == 1 &&
         most_in_epoch(line.tail) == 1;
}

bool LooseLines::steps_come_first() const {
  return std::ranges::any_of(steps_, [](const auto& entry) {
    const auto& steps = entry.second;
    const bool from_first = steps.first <= steps.second - steps.first;
    return steps.lines > 1 && from_first && steps.first_after;
  });
}

bool LooseLines::came_first(const PlainLine& line) const {
  const auto found = steps_.find(line.shape);
  return found != steps_.end() && found->second.lines > 1;
}

bool LooseLines::durations_come_first() const {
  return std::ranges::any_of(durations_, &std::pair<const std::string, bool>::second);
}

}  // namespace epochcast::progress
