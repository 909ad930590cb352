// tqdm's bars, alone or nested, and the lines that the loop prints between them.
#include <algorithm>
#include <set>
#include <utility>

#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/values.hpp"
#include "src/measure/progress/reading/bar.hpp"
#include "src/measure/progress/reading/bar_series.hpp"
#include "src/measure/progress/reading/format.hpp"
#include "src/measure/progress/reading/plain_line.hpp"

namespace epochcast::progress::formats {
namespace tqdm_format {

constexpr int most_after_bar = 32;

const RegularExpression& run_steps_form() {
  static const RegularExpression form(R"(otal optimization steps = (?<steps>\d[\d,]*))");
  return form;
}

bool counts_epochs(const Bar& bar) {
  const auto low = to_lower(bar.description);
  return bar.total && low.find("epoch") != std::string::npos && !epoch_in(bar.description);
}

/// A drawing or a line between them.
struct Drawn {
  std::string text;
  double at_s = 0, since_s = 0;
  const BarSeries* series = nullptr;  ///< nullptr: a plain line, or a bar of epochs.
  std::int64_t bar = 0;               ///< Number of the bar in its series, from 0.
  bool timed = true;                  ///< Line::timed.
};

/// What the bars of an output mean, by all that have come.
struct BarMeaning {
  const BarSeries* training = nullptr;     ///< nullptr: only epochs are drawn.
  bool has_helpers = false;                ///< BarSeriesSet::has_helpers().
  std::set<const BarSeries*> parts = {};   ///< BarSeriesSet::parts().
  std::set<const BarSeries*> beside = {};  ///< Drawn while the training's bar is: of workers.
  bool of_run = false;                     ///< One bar counts all steps of the run.
  bool at_end = false;                     ///< Nothing comes after what was seen.
  /// Of the training's length; all but the first are evaluations.
  std::int64_t bars_per_epoch = 1;
  std::optional<std::int64_t> plain_base;  ///< The plain lines' number of epoch 0.
};

/// How many bars of the training's length stand between two lines about different epochs: the
/// second is an evaluation of the same length.
void count_bars_by_lines(const std::vector<Drawn>& lines, BarMeaning& means) {
  std::map<std::int64_t, std::set<std::int64_t>> bars;
  std::optional<std::int64_t> number;
  bool heading = false;
  std::set<std::int64_t> open;
  for (const auto& seen : lines) {
    if (seen.series == means.training) {
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
  if (!bars.empty() && means.training->rank < 4) {
    means.plain_base = bars.begin()->first;
    means.bars_per_epoch = std::max<std::int64_t>(1, std::ssize(bars.begin()->second));
  }
}

/// A bar that is drawn on both sides of a drawing of the training's, all of one bar each, runs
/// beside it. An evaluation within the epoch does not.
void find_bars_beside(const std::vector<Drawn>& lines, BarMeaning& means) {
  struct Place {
    std::int64_t bar = -1, training_bar = -1, drawn = 0;
  };
  std::map<const BarSeries*, Place> last;
  std::int64_t training_bar = -1;
  std::int64_t drawn = 0;
  for (const auto& seen : lines) {
    if (seen.series == means.training) {
      training_bar = seen.bar;
      ++drawn;
    } else if (seen.series != nullptr) {
      const Place place{.bar = seen.bar, .training_bar = training_bar, .drawn = drawn};
      const auto before = std::exchange(last[seen.series], place);
      if (before.bar == seen.bar && training_bar >= 0 && before.training_bar == training_bar &&
          before.drawn < drawn) {
        means.beside.insert(seen.series);
      }
    }
  }
}

/// std::nullopt: it is not known yet which bars are of the training.
std::optional<BarMeaning> bar_meaning(const BarSeriesSet& series, const std::vector<Drawn>& lines,
                                      bool epochs_drawn, bool at_end) {
  const auto training = series.training(at_end, epochs_drawn);
  if (!training) {
    return std::nullopt;
  }
  BarMeaning means{.training = *training, .at_end = at_end};
  if (means.training != nullptr) {
    means.has_helpers = series.has_helpers(*means.training);
    means.of_run = means.training->bars == 1 && !epochs_drawn && series.is_of_run(*means.training);
    count_bars_by_lines(lines, means);
    find_bars_beside(lines, means);
    if (!means.of_run && !epochs_drawn) {
      means.parts = series.parts(*means.training);
    }
  }
  return means;
}

/// The time of an epoch whose parts have bars of their own, which follow one another.
class PartClock {
 public:
  double elapsed_s(const Drawn& seen, std::int64_t epoch, double of_bar_s) {
    if (epoch_ != epoch) {
      before_s_ = 0;
    } else if (series_ != seen.series) {
      before_s_ += of_bar_s_;
    }
    epoch_ = epoch;
    series_ = seen.series;
    of_bar_s_ = of_bar_s;
    return before_s_ + of_bar_s;
  }

 private:
  std::int64_t epoch_ = -1;
  const BarSeries* series_ = nullptr;
  double before_s_ = 0, of_bar_s_ = 0;
};

/// Bars of other things (tokenizing, loading) and of evaluations are no training. Until the
/// training is found, lines wait. Bars of several ranks, which differ by a step or two, are one.
class BarParser final : public DecidingParser<Drawn> {
 public:
  /// The result of an evaluation may follow a whole bar.
  bool wants_every_line() const override { return lines_after_bar_ < most_after_bar; }
  /// Below a heading of an epoch stand bars: without stamps, they alone have its time.
  double evidence_of_waiting() const override {
    const auto& lines = waiting();
    if (decided() || lines.empty() || lines.front().series != nullptr || lines.front().timed) {
      return 0;
    }
    const auto last = lines.end() - std::min<std::ptrdiff_t>(most_after_bar, std::ssize(lines));
    const bool goes_on =
        std::any_of(last, lines.end(), [](const auto& seen) { return seen.series != nullptr; });
    return goes_on && series_.has_whole() ? 0.5 : 0;
  }

 private:
  std::optional<Drawn> see(const Line& line) override {
    Drawn seen{.text = std::string(line.text.substr(0, 512)),
               .at_s = line.at_s,
               .since_s = line.since_s,
               .timed = line.timed};
    if (const auto bar = parse_bar(line.text)) {
      lines_after_bar_ = bar->total == bar->done ? 0 : most_after_bar;
      if (bar->total && (bar->done > *bar->total || *bar->total == 0)) {
        return std::nullopt;
      }
      if (counts_epochs(*bar)) {
        epochs_drawn_ = epochs_drawn_ || bar->done > 0;
        return seen;
      }
      const auto place = series_.add(line, *bar);
      seen.text = line.text;
      seen.series = place.series;
      seen.bar = place.bar;
      return place.series == nullptr ? std::nullopt : std::optional(seen);
    }
    if (const auto match = run_steps_form().find(line.text)) {
      series_.set_run_steps(count_in(*match, "steps"));
      return std::nullopt;
    }
    ++lines_after_bar_;
    if (series_.empty() && waiting().empty() && !decided()) {
      const auto plain = parse_plain_line(line.text);
      return plain && plain->role == LineRole::heading ? std::optional(seen) : std::nullopt;
    }
    return seen;
  }

  bool decide(const std::vector<Drawn>& waiting, bool at_end) override {
    const auto found = bar_meaning(series_, waiting, epochs_drawn_, at_end);
    means_ = found.value_or(means_);
    return found.has_value();
  }

  std::size_t most_waiting() const override { return 8192; }
  bool says_the_same(const Drawn& last, const Drawn& next) const override {
    return next.series != nullptr && last.series == next.series && last.bar == next.bar;
  }

  std::optional<Reading> interpret(const Drawn& seen, Readings& before) override {
    const auto bar = parse_bar(seen.text);
    if (!bar) {
      return of_plain(seen.text);
    }
    if (counts_epochs(*bar) || (seen.series != nullptr && seen.series == means_.training &&
                                seen.series->counts_epochs())) {
      return of_epochs(*bar);
    }
    if (means_.beside.contains(seen.series)) {
      return std::nullopt;
    }
    if (means_.parts.contains(seen.series)) {
      return of_part(seen, *bar);
    }
    if (seen.series != means_.training || means_.training == nullptr) {
      const bool evaluates = seen.series != nullptr && epoch_ && may_evaluate(*seen.series);
      return evaluates ? of_evaluation_bar(*bar) : of_other_bar(seen, before);
    }
    if (seen.bar % means_.bars_per_epoch != 0) {
      return of_evaluation_bar(*bar);
    }
    return of_training(seen, *bar);
  }

  /// What comes before the training's bar starts it, whatever its name.
  bool may_evaluate(const BarSeries& series) const {
    const auto& training = means_.training;
    const bool helps = training != nullptr && means_.has_helpers && series.rank == training->rank;
    const bool starts = training != nullptr && series.rank == 0 && series.order < training->order;
    return series.rank >= -1 && !helps && !starts;
  }

  /// A bar of something else after a whole bar of the training: the epoch ended with that.
  std::optional<Reading> of_other_bar(const Drawn& seen, Readings& before) {
    if (seen.series == nullptr || means_.training == nullptr || !epoch_ || !whole_since_s_ ||
        means_.of_run || outer_) {
      return std::nullopt;
    }
    before.push_back(
        {{.epoch = epoch_, .ends_epoch = true}, *std::exchange(whole_since_s_, std::nullopt)});
    return std::nullopt;
  }

  /// A bar of each epoch besides the training's.
  std::optional<Reading> of_part(const Drawn& seen, const Bar& bar) {
    const auto number = epoch_in(bar.description);
    const bool before = seen.series->order < means_.training->order;
    const auto epoch = number ? count_.from_zero(number->number, number->total.has_value())
                       : before || !epoch_ ? seen.bar
                                           : epoch_;
    if (!epoch) {
      return std::nullopt;
    }
    whole_since_s_.reset();
    Reading reading{.epoch = epoch, .elapsed_s = parts_.elapsed_s(seen, *epoch, bar.elapsed_s)};
    reading.begins_epoch = bar.done == 0 && epoch_ != epoch;
    epoch_ = epoch;
    return reading;
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

  std::optional<Reading> of_training(const Drawn& seen, const Bar& bar) {
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
      reading.evidence = 0.35;  // more than of the same line in the plain format
      reading.begins_epoch = bar.done == 0 && epoch_ != epoch;
      reading.epochs = number->total ? count_.total(*number->total) : std::nullopt;
      means_.plain_base = number->number - *epoch;
      epoch_ = reading.epoch = epoch;
      reading.elapsed_s = elapsed_s(seen, bar);
      return reading;
    }
    const bool is_new = bar_ != seen.bar;
    bar_ = seen.bar;
    if (means_.of_run) {
      return of_run(bar, seen);
    }
    const auto before = epoch_;
    if (!outer_) {
      epoch_ = seen.bar / means_.bars_per_epoch;
    }
    reading.elapsed_s = elapsed_s(seen, bar);
    // A bar that came once is of one epoch, or of the whole run: it is taken at the end only.
    reading.evidence = is_new && seen.bar > 0 ? 1 : 0;
    reading.begins_epoch = is_new && bar.done == 0 && !outer_ && before != epoch_;
    reading.epoch = epoch_.value_or(0);
    reading.epochs = outer_ ? outer_ : plain_total_;
    if (means_.training->bars == 1 && bar.total == bar.done && means_.at_end) {
      reading.ends_epoch = true;
      reading.evidence = 1;
    }
    return reading;
  }

  double elapsed_s(const Drawn& seen, const Bar& bar) {
    return means_.parts.empty() || !epoch_ ? bar.elapsed_s
                                           : parts_.elapsed_s(seen, *epoch_, bar.elapsed_s);
  }

  /// One bar over all steps of the run.
  std::optional<Reading> of_run(const Bar& bar, const Drawn& seen) {
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
    if (!whole_since_s_ || !epoch_ || means_.of_run || values.empty() ||
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
    if (!line || line->epoch < 0 || line->role == LineRole::mention || !means_.plain_base ||
        !epoch_) {
      return std::nullopt;
    }
    if (line->epochs && *means_.plain_base == 1) {
      plain_total_ = line->epochs;
    }
    if (line->epoch - *means_.plain_base != *epoch_ || line->metrics.empty()) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch_, .metrics = line->metrics};
    reading.running = true;
    return reading;
  }

  BarSeriesSet series_;
  BarMeaning means_;
  EpochCount count_;
  std::optional<std::int64_t> epoch_;
  std::optional<std::int64_t> plain_total_;
  std::optional<std::int64_t> outer_;
  std::int64_t outer_done_ = -1;
  bool epochs_drawn_ = false;        ///< A bar of epochs has come to one.
  std::optional<std::int64_t> bar_;  ///< The training's bar that was drawn last.
  int lines_after_bar_ = most_after_bar;
  PartClock parts_;
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
