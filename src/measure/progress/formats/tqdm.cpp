// tqdm's bars, alone or nested, and the lines that the loop prints between them.
#include <algorithm>
#include <set>
#include <utility>

#include "src/base/core/text.hpp"
#include "src/measure/progress/bar.hpp"
#include "src/measure/progress/bar_series.hpp"
#include "src/measure/progress/format.hpp"
#include "src/measure/progress/plain_line.hpp"
#include "src/measure/progress/values.hpp"

namespace epochcast::progress::formats {
namespace tqdm_format {

constexpr std::size_t most_waiting_bars = 8192;
constexpr int most_after_bar = 32;

const RegularExpression& run_steps_form() {
  static const RegularExpression form(R"(otal optimization steps = (?<steps>\d[\d,]*))");
  return form;
}

bool counts_epochs(const Bar& bar) {
  const auto low = to_lower(bar.description);
  return bar.total && low.find("epoch") != std::string::npos && !epoch_in(bar.description);
}

/// Bars of other things (tokenizing, loading) and of evaluations are no training. Until the
/// training is found, lines wait. Bars of several ranks, which differ by a step or two, are one.
class BarParser final : public LineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override {
    const auto bar = parse_bar(line.text);
    Seen seen{
        .text = std::string(line.text.substr(0, 512)), .at_s = line.at_s, .since_s = line.since_s};
    if (bar) {
      lines_after_bar_ = bar->total == bar->done ? 0 : most_after_bar;
      if (bar->total && (bar->done > *bar->total || *bar->total == 0)) {
        return std::nullopt;
      }
      if (counts_epochs(*bar)) {
        epochs_drawn_ = epochs_drawn_ || bar->done > 0;
      } else {
        const auto place = series_.add(line, *bar);
        if (place.series == nullptr) {
          return std::nullopt;
        }
        seen.text = line.text;
        seen.series = place.series;
        seen.bar = place.bar;
      }
    } else if (const auto match = run_steps_form().find(line.text)) {
      series_.set_run_steps(count_in(*match, "steps"));
      return std::nullopt;
    } else if (++lines_after_bar_; series_.empty() && seen_.empty()) {
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

  std::vector<TimedReading> waiting() override { return std::exchange(ready_, {}); }
  /// The result of an evaluation may follow a whole bar.
  bool wants_every_line() const override { return lines_after_bar_ < most_after_bar; }

  void finish() override {
    at_end_ = true;
    if (training_ == nullptr) {
      decide(true);
    }
  }

 private:
  /// A drawing or a line between them, while it is not known what it means.
  struct Seen {
    std::string text;
    double at_s = 0, since_s = 0;
    const BarSeries* series = nullptr;  ///< nullptr: a plain line, or a bar of epochs.
    std::int64_t bar = 0;               ///< Number of the bar in its series, from 0.
  };

  void decide(bool at_end) {
    const auto training = series_.training(at_end, epochs_drawn_);
    if (!training) {
      return;
    }
    training_ = *training;
    has_helpers_ = training_ != nullptr && series_.has_helpers(*training_);
    of_run_ = training_ != nullptr && training_->bars == 1 && !epochs_drawn_ &&
              series_.is_of_run(*training_);
    count_bars_by_lines();
    replay_lines(seen_, ready_, [&](const auto& seen) { return interpret(seen); });
  }

  /// How many bars of the training's length stand between two lines about different epochs: the
  /// second is an evaluation of the same length.
  void count_bars_by_lines() {
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
      if (plain && plain->epoch >= 0 && plain->role != LineRole::mention &&
          number != plain->epoch) {
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

  std::optional<Reading> interpret(const Seen& seen) {
    const auto bar = parse_bar(seen.text);
    if (!bar) {
      return of_plain(seen.text);
    }
    if (counts_epochs(*bar)) {
      return of_epochs(*bar);
    }
    if (seen.series != training_ || training_ == nullptr) {
      const bool helps =
          has_helpers_ && seen.series != nullptr && seen.series->rank == training_->rank;
      const bool evaluates = seen.series != nullptr && seen.series->rank >= -1 && epoch_ && !helps;
      return evaluates ? of_evaluation_bar(*bar) : of_other_bar(seen);
    }
    if (seen.bar % bars_per_epoch_ != 0) {
      return of_evaluation_bar(*bar);
    }
    return of_training(seen, *bar);
  }

  /// A bar of something else after a whole bar of the training: the epoch ended with that.
  std::optional<Reading> of_other_bar(const Seen& seen) {
    if (seen.series == nullptr || training_ == nullptr || !epoch_ || !whole_since_s_ || of_run_ ||
        outer_) {
      return std::nullopt;
    }
    ready_.push_back(
        {{.epoch = epoch_, .ends_epoch = true}, *std::exchange(whole_since_s_, std::nullopt)});
    return std::nullopt;
  }

  std::optional<Reading> of_evaluation_bar(const Bar& bar) const {
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

  std::optional<Reading> of_training(const Seen& seen, const Bar& bar) {
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
  std::optional<Reading> of_run(const Bar& bar, const Seen& seen) {
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

  std::optional<Reading> of_epochs(const Bar& bar) {
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

  /// "val accuracy: 0.45" after a whole bar: an evaluation that shows no bar is over.
  std::optional<Reading> of_evaluation_line(std::string_view text) const {
    const auto values = named_values(text, false);
    if (!whole_since_s_ || !epoch_ || of_run_ || values.empty() ||
        !text.starts_with(values.front().name) || !of_evaluation(values.front().name)) {
      return std::nullopt;
    }
    return Reading{
        .phase = Phase::evaluate, .epoch = epoch_, .step = 1, .steps = 1, .metrics = values};
  }

  /// A line that the loop prints between the bars: values of the epoch, and the number of epochs.
  std::optional<Reading> of_plain(std::string_view text) {
    if (auto reading = of_evaluation_line(text)) {
      return reading;
    }
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

  BarSeriesSet series_;
  std::vector<Seen> seen_;
  std::vector<TimedReading> ready_;
  const BarSeries* training_ = nullptr;
  EpochCount count_;
  std::optional<std::int64_t> epoch_;
  std::int64_t bars_per_epoch_ = 1;
  std::optional<std::int64_t> plain_base_;  ///< The plain lines' number of epoch 0.
  std::optional<std::int64_t> plain_total_;
  std::optional<std::int64_t> outer_;
  std::int64_t outer_done_ = -1;
  bool epochs_drawn_ = false;        ///< A bar of epochs has come to one.
  std::optional<std::int64_t> bar_;  ///< The training's bar that was drawn last.
  int lines_after_bar_ = most_after_bar;
  bool at_end_ = false;
  bool has_helpers_ = false;
  bool of_run_ = false;                  ///< One bar counts all steps of the run.
  std::optional<double> whole_since_s_;  ///< The training's bar was not whole before.
};

}  // namespace tqdm_format

FormatSpec tqdm() {
  return {.summary = "tqdm's bars, and a loop's own prints between them",
          .hints = {"%|", "/s]", "/s, ", "s/it", "poch", "POCH", "ptimization steps"},
          .general = true,
          .open = [](const auto&) { return std::make_unique<tqdm_format::BarParser>(); }};
}

}  // namespace epochcast::progress::formats
