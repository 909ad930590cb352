#include "src/measure/progress/rows/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::progress {
namespace {

double whole_s(const record::Epoch& epoch) {
  return epoch.wall_s + epoch.evaluate_s;
}

void append_rows(Rows& rows, const Rows& more) {
  append(rows.epochs, more.epochs);
  append(rows.iterations, more.iterations);
  append(rows.metrics, more.metrics);
  append(rows.spans, more.spans);
}

void renumber(Rows& rows, std::int64_t by) {
  const auto shift = [&](auto& some) {
    for (auto& row : some) {
      row.epoch += row.epoch < 0 ? 0 : by;
    }
  };
  shift(rows.epochs);
  shift(rows.iterations);
  shift(rows.metrics);
  shift(rows.spans);
}

using Pair = std::pair<record::Epoch, record::Epoch>;  // of the hook, of the output

std::vector<Pair> pairs_of(const std::vector<record::Epoch>& hook,
                           const std::vector<record::Epoch>& output) {
  std::vector<Pair> pairs;
  auto next = output.begin();
  for (const auto& epoch : hook) {
    const double middle_s = epoch.start_s + whole_s(epoch) / 2;
    while (next != output.end() && next->start_s + whole_s(*next) <= middle_s) {
      ++next;
    }
    if (next != output.end() && next->start_s <= middle_s) {
      pairs.emplace_back(epoch, *next);
    }
  }
  return pairs;
}

/// The first epoch is left out: where the output shows ends only, it holds the start-up.
std::string difference_of(const std::vector<Pair>& pairs) {
  constexpr double relative = 0.1, absolute_s = 0.5;
  std::size_t differ = 0;
  const Pair* largest = nullptr;
  const auto gap_s = [](const Pair& pair) {
    return std::abs(whole_s(pair.first) - whole_s(pair.second));
  };
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    if (gap_s(pairs[i]) <= std::max(absolute_s, relative * whole_s(pairs[i].first))) {
      continue;
    }
    ++differ;
    largest = largest == nullptr || gap_s(pairs[i]) > gap_s(*largest) ? &pairs[i] : largest;
  }
  return largest == nullptr
             ? ""
             : fmt::format(
                   "times of {} epochs differ, most of all {:.2f} s by the hook and {:.2f} "
                   "s by the output in epoch {}",
                   differ, whole_s(largest->first), whole_s(largest->second), largest->first.epoch);
}

}  // namespace

EpochMatch match(const std::vector<record::Epoch>& hook, const std::vector<record::Epoch>& output) {
  const auto pairs = pairs_of(hook, output);
  EpochMatch found{.pairs = pairs.size()};
  if (pairs.empty()) {
    return found;
  }
  const auto ahead = [](const Pair& pair) { return pair.second.epoch - pair.first.epoch; };
  const auto by = ahead(pairs.front());
  found.same_order =
      std::ranges::all_of(pairs, [&](const auto& pair) { return ahead(pair) == by; });
  found.of_hook = found.same_order && by > 0 && hook.front().epoch == 0 ? by : 0;
  found.of_output = found.of_hook - by;
  found.difference = difference_of(pairs);
  return found;
}

void Merge::see(const Reading& reading) {
  is_open_ = (is_open_ || reading.begins_epoch) && !reading.drops_open;
}

void Merge::leave_to_output() {
  if (from_ == From::undecided) {
    from_ = From::output;
  }
}

Rows Merge::add(Rows hook, Rows output, bool ended) {
  append(hook_epochs_, hook.epochs);
  append(output_epochs_, output.epochs);
  append_rows(hook_, hook);
  append_rows(output_, output);
  if (from_ == From::undecided) {
    decide(ended);
  }
  if (from_ == From::undecided) {
    return {};
  }
  if (from_ == From::output) {
    hook_ = {};
    return std::exchange(output_, {});
  }
  Rows rows = std::exchange(hook_, {});
  renumber(rows, match_.of_hook);
  take_metrics(rows, ended);
  return rows;
}

void Merge::decide(bool ended) {
  constexpr std::size_t enough = 2;  // by then an output that tells its epochs has told the first
  if (!hook_.epochs.empty()) {
    match_ = match(hook_epochs_, output_epochs_);
    const bool known = match_.pairs > 0 || hook_.epochs.size() >= enough || ended;
    from_ = known ? From::hook : From::undecided;
  } else if (ended || (!is_open_ && !output_.epochs.empty())) {
    from_ = From::output;
  }
}

/// The output's values of epochs that are done, once each: a program that counts again from 0 would
/// give another to an epoch that has it.
void Merge::take_metrics(Rows& rows, bool ended) {
  for (const auto& metric : rows.metrics) {
    if (metric.iteration == 0) {
      told_.emplace(metric.epoch, metric.name.str());
    }
  }
  const auto done = hook_epochs_.back().epoch + match_.of_hook;
  std::vector<record::Metric> waiting;
  for (auto& metric : output_.metrics) {
    if (metric.epoch < 0) {
      rows.metrics.push_back(metric);
      continue;
    }
    const bool later = metric.epoch + match_.of_output > done;
    if (later && !ended) {
      waiting.push_back(metric);
      continue;
    }
    metric.epoch += match_.of_output;
    const bool is_new =
        metric.iteration != 0 || told_.emplace(metric.epoch, metric.name.str()).second;
    if (!later && metric.epoch >= 0 && is_new && match_.same_order) {
      rows.metrics.push_back(metric);
    }
  }
  output_ = {.metrics = std::move(waiting)};
}

Position Merge::position(Position hook, const Position& output) const {
  if (from_ == From::output || (from_ == From::undecided && !is_open_)) {
    return output;
  }
  if (hook.epoch) {
    *hook.epoch += match_.of_hook;
  }
  if (hook.epochs) {
    *hook.epochs += match_.of_hook;
  } else if (output.epochs && match_.same_order) {
    hook.epochs = *output.epochs + match_.of_output;
  }
  if (hook.epochs && *hook.epochs < hook.epochs_done + match_.of_hook) {
    hook.epochs.reset();  // it was the length of a part
  }
  return hook;
}

std::string Merge::difference() const {
  if (from_ != From::hook || output_epochs_.empty()) {
    return "";
  }
  const auto whole = match(hook_epochs_, output_epochs_);
  std::vector<std::string> parts;
  if (output_epochs_.size() != hook_epochs_.size()) {
    parts.push_back(fmt::format("the hook saw {} epochs, the output tells {}", hook_epochs_.size(),
                                output_epochs_.size()));
  }
  if (!whole.same_order) {
    parts.emplace_back(
        "the numbers of the output are not those of the epochs, and its metrics are left out");
  }
  if (!whole.difference.empty()) {
    parts.push_back(whole.difference);
  }
  return parts.empty() ? "" : join(parts, "; ") + "; recorded is what the hook saw";
}

}  // namespace epochcast::progress
