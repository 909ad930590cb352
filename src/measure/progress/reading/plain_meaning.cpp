#include "src/measure/progress/reading/plain_meaning.hpp"

#include <algorithm>

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
    if (series == nullptr || series->role == LineRole::mention || seen.line.evaluates) {
      continue;
    }
    const auto* first = first_of.try_emplace(seen.line.epoch, series).first->second;
    if (first != series && first->role == LineRole::step && series->role == LineRole::heading) {
      orders[series].closes = true;
    } else if (first != series && first->role == LineRole::heading) {
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

/// Of a line each tenth epoch, the first may be of epoch 0, 1, 9 or 10.
std::int64_t base_of(const PlainSeries& counter, std::int64_t first, std::int64_t stride) {
  if (first == 0 || (stride > 1 && first == stride - 1)) {
    return 0;
  }
  return first == 1 || counter.has_total || (stride > 1 && first == stride) ? 1 : 0;
}

}  // namespace

std::optional<PlainMeaning> plain_meaning(const PlainSeriesSet& series,
                                          const std::vector<PlainSeen>& lines, bool at_end) {
  const auto* counter = series.counter(at_end);
  if (counter == nullptr) {
    return std::nullopt;
  }
  PlainMeaning means;
  const auto* closing = closing_series(series, lines);
  means.closes = closing != nullptr;
  means.counter = means.closes ? closing : counter;
  const auto numbers = numbers_of(*means.counter, series, lines);
  means.stride = numbers.size() > 1 ? numbers[1] - numbers[0] : 1;
  means.base = base_of(*means.counter, numbers.empty() ? means.counter->first : numbers.front(),
                       means.stride);
  const bool repeats =
      means.counter->role != LineRole::step && means.counter->repeats > 0 && !means.closes;
  means.duplicates = repeats && means.counter->repeats_at_once();
  means.several = repeats && !means.duplicates;
  return means;
}

void ValueLines::count(const PlainLine& line) {
  if (line.epoch < 0 && line.role == LineRole::summary) {
    const auto count = ++in_epoch_[line.shape];
    most_[line.shape] = std::max(most_[line.shape], count);
  }
  if (line.role == LineRole::heading) {
    in_epoch_.clear();
  }
}

std::int64_t ValueLines::most_in_epoch(const std::string& word) const {
  const auto most = most_.find(word);
  return most == most_.end() ? 0 : most->second;
}

}  // namespace epochcast::progress
