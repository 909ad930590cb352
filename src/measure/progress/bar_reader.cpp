#include "src/measure/progress/bar_reader.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "src/base/core/text.hpp"
#include "src/measure/progress/waiting_lines.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t most_series = 128;
constexpr std::size_t most_waiting_bars = 8192;

/// What bars before, between and after a training are of.
bool is_of_other_things(std::string_view low) {
  return has_word(
      low,
      {"token",  "map",         "filter",  "load",    "scan",    "download", "fetch",  "extract",
       "cach",   "preproc",     "process", "generat", "resolv",  "sav",      "writ",   "copy",
       "upload", "read",        "convert", "build",   "creat",   "index",    "shuffl", "pack",
       "group",  "compil",      "collat",  "encod",   "embed",   "inferen",  "sampl",  "prepar",
       "unzip",  "unpack",      "check",   "comput",  "merg",    "quant",    "calibr", "export",
       "split",  "count",       "pars",    "import",  "init",    "warm",     "plot",   "render",
       "cast",   "running tok", "setting", "pre-",    "casting", "flatten",  "crawl",  "search",
       "verify", "hash",        "moving",  "gather",  "sanity",  "dataset",  "shard",  "vocab",
       "augment"});
}

bool is_loss(std::string_view name) {
  const auto low = to_lower(name);
  return low.find("loss") != std::string::npos || low.find("acc") != std::string::npos ||
         low == "lr" || low.find("ppl") != std::string::npos || low.find("err") == 0 ||
         low.find("grad") != std::string::npos || low.find("mse") != std::string::npos ||
         low.find("elbo") != std::string::npos || low.find("reward") != std::string::npos;
}

int rank_of(const Bar& bar, bool numbered, const std::vector<NamedValue>& values) {
  const auto low = to_lower(bar.description);
  if (of_evaluation(bar.description)) {
    return -1;
  }
  const bool loss =
      std::ranges::any_of(values, [](const auto& value) { return is_loss(value.name); });
  if (numbered) {
    return 4;
  }
  if (loss) {
    return 3;
  }
  if (is_of_other_things(low)) {
    return -2;
  }
  if (has_word(low, {"train", "epoch", "fit", "step", "iter", "batch", "optim", "learn"})) {
    return 2;
  }
  return trim(low).empty() ? 1 : 0;
}

std::vector<NamedValue> bar_values(const Bar& bar) {
  std::vector<NamedValue> values;
  for (const auto text : {bar.postfix, bar.description}) {
    for (auto& value : named_values(text, false)) {
      if (to_lower(value.name).find("epoch") == std::string::npos) {
        values.push_back(std::move(value));
      }
    }
  }
  return values;
}

bool counts_epochs(const Bar& bar) {
  const auto low = to_lower(bar.description);
  return bar.total && low.find("epoch") != std::string::npos && !epoch_in(bar.description);
}

bool counts_the_run(std::string_view description) {
  const auto low = to_lower(trim(description));
  return low == "steps" || low == "step" || low.find("global step") != std::string::npos ||
         low.find("training steps") != std::string::npos || low == "iterations" || low == "iters" ||
         low == "train steps";
}

}  // namespace

/// A bar begins again: with less done, in less time. Bars of other ranks are a step or two apart.
bool BarReader::is_new_bar(const Series& series, const Bar& bar) const {
  const auto& last = series.last;
  if (bar.total && bar.done == *bar.total && last.done == *bar.total) {
    return bar.elapsed_s + 2 < last.elapsed_s;
  }
  const bool far = last.done - bar.done > 3 || (bar.total && last.done == *bar.total);
  return bar.done < last.done && far && bar.done * 2 <= last.done &&
         bar.elapsed_s * 2 <= last.elapsed_s + 2;
}

/// A drawing of another rank's bar, which is over here: nearly all is done too soon.
bool BarReader::is_stray(const Series& series, const Line& line, const Bar& bar) {
  if (!series.last_of_before || series.last.done > 3 ||
      bar.done + 3 < series.last_of_before->done || bar.done <= 3 ||
      (bar.done - series.last.done) * 2 <= series.last_of_before->done) {
    return false;
  }
  return line.timed ? line.at_s - series.began_s < 0.3 * series.before_s
                    : series.last_of_before->elapsed_s >= 3 &&
                          std::abs(bar.elapsed_s - series.last_of_before->elapsed_s) <= 1;
}

BarReader::Seen BarReader::look(const Line& line, const Bar& bar) {
  Seen seen{.text = std::string(line.text), .at_s = line.at_s, .since_s = line.since_s};
  const auto number = epoch_in(bar.description);
  const auto key =
      shape_of(bar.description) + "|" + (bar.total && !number ? std::to_string(*bar.total) : "");
  if (series_.size() >= most_series && !series_.contains(key)) {
    return seen;
  }
  const auto [found, is_first] = series_.try_emplace(key);
  auto& series = found->second;
  const auto values = bar_values(bar);
  if (is_first) {
    series.order = ++order_;
    series.rank = rank_of(bar, number.has_value(), values);
  } else if (!values.empty() && series.rank < 3) {
    series.rank = rank_of(bar, number.has_value(), values);
  }
  const bool begins =
      is_first || (number ? series.number != number->number : is_new_bar(series, bar));
  if (begins) {
    series.bars += 1;
    series.last_of_before = is_first ? std::nullopt : std::optional(series.last);
    series.before_s = is_first ? 0 : series.last_s - series.began_s;
    series.began_s = line.at_s;
    series.numbers += number && series.number != number->number ? 1 : 0;
    series.number = number ? std::optional(number->number) : std::nullopt;
  } else if (!number && is_stray(series, line, bar)) {
    seen.stray = true;
    return seen;
  }
  const bool was_whole = !begins && bar.total && series.last.done >= *bar.total;
  series.whole += bar.total && bar.done >= *bar.total && !was_whole ? 1 : 0;
  series.last = {.done = begins ? bar.done : std::max(series.last.done, bar.done),
                 .elapsed_s = bar.elapsed_s};
  series.last_s = line.at_s;
  ++series.drawn;
  seen.series = &series;
  seen.bar = series.bars - 1;
  return seen;
}

std::optional<Reading> BarReader::read(const Line& line) {
  const auto bar = parse_bar(line.text);
  Seen seen{
      .text = std::string(line.text.substr(0, 512)), .at_s = line.at_s, .since_s = line.since_s};
  if (bar) {
    if (bar->total && (bar->done > *bar->total || *bar->total == 0)) {
      return std::nullopt;
    }
    if (counts_epochs(*bar)) {
      epochs_drawn_ = epochs_drawn_ || bar->done > 0;
    } else {
      seen = look(line, *bar);
      if (seen.stray || seen.series == nullptr) {
        return std::nullopt;
      }
    }
  } else if (const auto at = line.text.find("otal optimization steps = ");
             at != std::string_view::npos) {
    Scanner scanner(line.text.substr(at + 26));
    run_steps_ = whole(scanner);
    return std::nullopt;
  } else if (series_.empty() && seen_.empty()) {
    const auto plain = parse_plain_line(line.text);
    if (!plain || plain->role != LineRole::heading) {
      return std::nullopt;
    }
  }
  if (training_ != nullptr || outer_) {
    return interpret(seen);
  }
  keep_waiting(seen_, std::move(seen), most_waiting_bars, [](const Seen& last, const Seen& next) {
    return next.series != nullptr && last.series == next.series && last.bar == next.bar;
  });
  decide(false);
  return std::nullopt;
}

std::vector<TimedReading> BarReader::waiting() {
  return std::exchange(ready_, {});
}

void BarReader::finish() {
  at_end_ = true;
  if (training_ == nullptr) {
    decide(true);
  }
}

/// Whether bars of this series count the steps of the whole run.
bool BarReader::is_of_run(const std::string& key) const {
  const auto bar = key.find('|');
  return counts_the_run(key.substr(0, bar)) ||
         (run_steps_ && key.substr(bar + 1) == std::to_string(*run_steps_));
}

/// The training is the series that looks most like one, of those that came again.
void BarReader::decide(bool at_end) {
  const Series* best = nullptr;
  for (const auto& [key, series] : series_) {
    const bool again = series.rank == 4 ? series.numbers >= 2 : series.bars >= 2;
    const bool over_run = !again && is_of_run(key) && series.rank >= 0 && series.drawn >= 3;
    const bool enough = over_run || (at_end ? series.rank >= 1 ? again || series.whole >= 1
                                                               : again && series.rank == 0
                                            : again && series.rank >= 1);
    if (enough && (best == nullptr || std::pair(series.rank, -std::int64_t(series.order)) >
                                          std::pair(best->rank, -std::int64_t(best->order)))) {
      best = &series;
    }
  }
  const bool inner = at_end || std::ranges::any_of(series_, [](const auto& series) {
                       return series.second.rank >= 0;
                     });
  const bool of_epochs = inner && epochs_drawn_;
  if (best == nullptr && !of_epochs) {
    return;
  }
  if (best == nullptr) {  // an outer bar counts; the inner one is the first that may be
    for (const auto& [key, series] : series_) {
      const bool may = series.rank >= 0 && (best == nullptr || series.rank > best->rank);
      best = may ? &series : best;
    }
  }
  training_ = best;
  for (const auto& [key, series] : series_) {
    of_run_ = of_run_ || (&series == best && series.bars == 1 && !of_epochs && is_of_run(key));
  }
  count_bars_by_lines();
  for (const auto& seen : std::exchange(seen_, {})) {
    if (auto reading = interpret(seen)) {
      ready_.push_back({std::move(*reading), seen.at_s, seen.since_s});
    }
  }
}

/// How many bars of the training's length stand between two lines about different epochs: the
/// second is an evaluation of the same length.
void BarReader::count_bars_by_lines() {
  std::map<std::int64_t, std::set<std::int64_t>> bars;
  std::optional<std::int64_t> number;
  bool heading = false;
  std::set<std::int64_t> open;
  for (const auto& seen : seen_) {
    if (seen.series == training_ && training_ != nullptr) {
      (heading && number ? bars[*number] : open).insert(seen.bar);
      continue;
    }
    const auto plain = seen.series == nullptr ? parse_plain_line(seen.text) : std::nullopt;
    if (plain && plain->epoch >= 0 && plain->role != LineRole::mention && number != plain->epoch) {
      heading = heading || (!number && open.empty());
      if (!heading) {
        bars[plain->epoch] = std::exchange(open, {});
      }
      number = plain->epoch;
    }
  }
  if (!bars.empty() && training_ != nullptr && training_->rank < 4) {
    plain_base_ = bars.begin()->first;
    const auto count = std::ssize(bars.begin()->second);
    bars_per_epoch_ = std::max<std::int64_t>(1, count);
  }
}

std::optional<Reading> BarReader::interpret(const Seen& seen) {
  const auto bar = parse_bar(seen.text);
  if (!bar) {
    return of_plain(seen.text);
  }
  if (counts_epochs(*bar)) {
    return of_epochs(*bar);
  }
  if (seen.series != training_ || training_ == nullptr) {
    const bool evaluates = seen.series != nullptr && seen.series->rank >= -1 && epoch_;
    return evaluates ? of_evaluation_bar(*bar) : of_other_bar(seen);
  }
  if (seen.bar % bars_per_epoch_ != 0) {
    return of_evaluation_bar(*bar);
  }
  return of_training(seen, *bar);
}

/// A bar of something else after a whole bar of the training: the epoch ended with that.
std::optional<Reading> BarReader::of_other_bar(const Seen& seen) {
  if (seen.series == nullptr || training_ == nullptr || !epoch_ || !whole_since_s_ || of_run_ ||
      outer_) {
    return std::nullopt;
  }
  ready_.push_back(
      {{.epoch = epoch_, .ends_epoch = true}, *std::exchange(whole_since_s_, std::nullopt)});
  return std::nullopt;
}

std::optional<Reading> BarReader::of_evaluation_bar(const Bar& bar) const {
  if (!epoch_) {
    return std::nullopt;
  }
  Reading reading{
      .phase = Phase::evaluate, .step = bar.done, .steps = bar.total, .elapsed_s = bar.elapsed_s};
  if (bar.total == bar.done) {
    reading.metrics = bar_values(bar);  // the last ones count
  }
  return reading;
}

std::optional<Reading> BarReader::of_training(const Seen& seen, const Bar& bar) {
  whole_since_s_ =
      bar.total == bar.done ? std::optional(whole_since_s_.value_or(seen.since_s)) : std::nullopt;
  Reading reading{.step = bar.done, .steps = bar.total, .elapsed_s = bar.elapsed_s};
  reading.running = true;
  reading.metrics = bar_values(bar);
  if (const auto number = epoch_in(bar.description)) {
    const auto epoch = count_.from_zero(number->number, number->total.has_value());
    if (!epoch) {
      return std::nullopt;
    }
    reading.evidence = 0.34;
    reading.begins_epoch = bar.done == 0 && epoch_ != epoch;
    reading.epochs = number->total ? count_.total(*number->total) : std::nullopt;
    plain_base_ = number->number - *epoch;
    epoch_ = reading.epoch = epoch;
    return reading;
  }
  const bool is_new = bar_ != seen.bar;
  bar_ = seen.bar;
  if (of_run_) {
    return of_run(bar, seen);
  }
  if (!outer_) {
    epoch_ = seen.bar / bars_per_epoch_;
  }
  // A bar that came once is of one epoch, or of the whole run: it is taken at the end only.
  reading.evidence = is_new && seen.bar > 0 ? 1 : 0;
  reading.begins_epoch = is_new && bar.done == 0 && !outer_;
  reading.epoch = epoch_.value_or(0);
  reading.epochs = outer_ ? outer_ : plain_total_;
  if (training_->bars == 1 && bar.total == bar.done && at_end_) {
    reading.ends_epoch = true;
    reading.evidence = 1;
  }
  return reading;
}

/// One bar over all steps of the run.
std::optional<Reading> BarReader::of_run(const Bar& bar, const Seen& seen) {
  Reading reading{.epoch = 0, .step = bar.done, .steps = bar.total};
  reading.elapsed_s = bar.elapsed_s;
  reading.of_run = true;
  reading.metrics = bar_values(bar);
  reading.running = true;
  reading.evidence = 0.5;
  epoch_ = 0;
  if (seen.bar > 0) {
    reading.conflict = "a bar over all steps begins again: '" + excerpt(seen.text) + "'";
  }
  return reading;
}

std::optional<Reading> BarReader::of_epochs(const Bar& bar) {
  const auto before = outer_ ? outer_done_ : -1;
  outer_ = bar.total;
  outer_done_ = bar.done;
  if (bar.done == before) {
    return std::nullopt;
  }
  const bool over = bar.done == *bar.total;
  epoch_ = over ? bar.done - 1 : bar.done;
  Reading reading{.epoch = epoch_, .epochs = outer_, .elapsed_s = bar.elapsed_s};
  reading.of_run = true;
  reading.begins_epoch = !over;
  reading.ends_epoch = over;
  reading.ends_run = over;
  reading.evidence = before >= 0 ? 0.5 : 0;
  return reading;
}

/// A line that the loop prints between the bars: values of the epoch, and the number of epochs.
std::optional<Reading> BarReader::of_plain(std::string_view text) {
  const auto line = parse_plain_line(text);
  if (!line || line->epoch < 0 || line->role == LineRole::mention || !plain_base_ || !epoch_) {
    return std::nullopt;
  }
  if (line->epochs && *plain_base_ == 1) {
    plain_total_ = line->epochs;
  }
  if (line->epoch - *plain_base_ != *epoch_ || line->metrics.empty()) {
    return std::nullopt;
  }
  Reading reading{.epoch = epoch_, .metrics = line->metrics};
  reading.running = true;
  return reading;
}

}  // namespace epochcast::progress
