// Lines of a loop's own prints: "Epoch 3/10 loss 0.5", "Epoch: 3 | loss: 0.41 | val_loss: 0.44",
// "[Epoch 3] step 100/200 loss=0.4".
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/base/core/text.hpp"
#include "src/measure/progress/reading/format.hpp"
#include "src/measure/progress/reading/identities.hpp"
#include "src/measure/progress/reading/lines_of_run.hpp"
#include "src/measure/progress/reading/plain_count.hpp"
#include "src/measure/progress/reading/plain_meaning.hpp"

namespace epochcast::progress::formats {
namespace plain_format {

/// A number after the word "epoch" is a hypothesis. Lines of one shape (one print statement) form
/// a series; the series that goes up by a constant step is the counter, and all other lines mean
/// what they say about the epoch that is open then: a step, the end, an evaluation, or nothing.
/// Until a counter is found, lines wait. A counter that contradicts itself (it falls back without a
/// statement, its total changes) ends the reading.
class PlainParser final : public DecidingParser<PlainSeen> {
 public:
  bool hear(const Restart& restart) override {
    lines_.hear(restart);
    return true;
  }

 private:
  std::optional<PlainSeen> see(const Line& line) override {
    auto read = lines_.read(line);
    if (!read) {
      return std::nullopt;
    }
    const auto& seen = *read;
    loose_.count(seen.line, !series_.empty());
    if (seen.line.epoch >= 0) {
      identities_.count(seen.line);
    }
    series_.add(seen.line, seen.text.find_first_of("eE") > 2, seen.at_s,
                seen.before.what != Statement::none);
    const bool means_something = decided() || seen.line.epoch >= 0 || !series_.empty() ||
                                 seen.line.role == LineRole::duration ||
                                 (seen.line.role == LineRole::step &&
                                  (seen.line.steps || waiting().size() < most_first_steps));
    return means_something ? std::move(read) : std::nullopt;
  }

  bool decide(const std::vector<PlainSeen>& waiting, bool at_end) override {
    const auto found = plain_meaning(series_, loose_, waiting, at_end);
    means_ = found.value_or(means_);
    return found.has_value();
  }

  static constexpr std::size_t most_first_steps = 512;
  std::size_t most_waiting() const override { return 4096; }
  bool says_the_same(const PlainSeen& last, const PlainSeen& next) const override {
    return last.line.shape == next.line.shape && last.line.epoch == next.line.epoch;
  }

  /// The evaluations of an epoch, as long as lines state that they took.
  struct Evaluations {
    std::optional<std::int64_t> epoch;
    std::vector<double> each_s;

    /// Whether this one is of an evaluation of its own: neither said again, nor the sum of them.
    bool add(std::optional<std::int64_t> of_epoch, double duration_s) {
      constexpr double alike = 0.02;
      if (std::exchange(epoch, of_epoch) != of_epoch) {
        each_s.clear();
      }
      const double sum_s = std::accumulate(each_s.begin(), each_s.end(), 0.0);
      const bool said = std::ranges::find(each_s, duration_s) != each_s.end() ||
                        (!each_s.empty() && std::abs(duration_s - sum_s) <= alike * sum_s);
      if (!said) {
        each_s.push_back(duration_s);
      }
      return !said;
    }
  };

  std::optional<Reading> interpret(const PlainSeen& seen, Readings& before) override {
    const auto* series = series_.of(seen.line);
    if (series != nullptr && seen.line.step_in_lead && series->means() != series->role) {
      return of_line(with_epochs_in_lead(seen), before);
    }
    return of_line(seen, before);
  }

  /// "[2/4] epoch 2": what stands in the brackets is the epoch, too.
  static PlainSeen with_epochs_in_lead(PlainSeen seen) {
    seen.line.role = seen.line.role_of_counter;
    seen.line.epochs = seen.line.steps;
    seen.line.step.reset();
    seen.line.steps.reset();
    return seen;
  }

  std::optional<Reading> of_line(PlainSeen seen, Readings& before) {
    if (waits_for_phase(seen, before)) {
      return std::nullopt;
    }
    const bool carries = seen.places() && seen.before.what == Statement::none;
    seen.before = carries ? std::exchange(carried_, {}) : seen.before;
    if ((seen.line.evaluates || seen.line.evaluation_s) && count_.number() &&
        of_run_.is_test(seen.line.shape + seen.line.tail,
                        std::max(seen.line.epoch, *count_.number()))) {
      return std::nullopt;
    }
    auto reading = series_.of(seen.line) == means_.counter ? of_counter(seen) : of_other(seen);
    if (reading && reading->phase == Phase::evaluate && reading->duration_s && !seen.timed) {
      if (!evaluations_.add(count_.number(), *reading->duration_s)) {
        reading->duration_s.reset();
      } else if (evaluations_.each_s.size() > 1) {
        before.push_back(
            {{.phase = Phase::evaluate, .step = 0, .steps = 1}, seen.at_s, seen.since_s});
      }
    }
    if (reading) {
      std::erase_if(reading->metrics,
                    [&](const auto& value) { return identities_.contains(value.name); });
    } else if (seen.before.what == Statement::new_attempt) {
      carried_ = seen.before;
    }
    return reading;
  }

  /// The last epoch of a program that prints only begins is over where a line says that the run is.
  void end(Readings& found) override {
    if (of_run_.end()) {
      found.push_back(*of_run_.end());
    }
  }

  /// Of lines that come in each epoch, none ends the run.
  void note_ending(const PlainSeen& seen) {
    if (const auto number = count_.number(); number && means_.begins()) {
      of_run_.note_end(seen.line.shape, *number,
                       {{.epoch = means_.from_zero(*number), .part = 1, .ends_run = true},
                        seen.at_s,
                        seen.since_s});
    }
  }

  std::optional<Reading> conflict(const PlainSeen& seen, std::string_view what) const {
    const auto before =
        count_.text().empty() ? "" : fmt::format("'{}' and ", excerpt(count_.text()));
    return Reading{.conflict = fmt::format("{}: {}'{}'", what, before, excerpt(seen.text))};
  }

  /// "student, epoch 0" after several of "teacher, epoch 3": headings of another label begin at the
  /// first number, and came in no epoch before.
  bool begins_other_training(const PlainLine& line) const {
    const auto* series = series_.of(line);
    const auto* counter = means_.counter;
    return series != nullptr && series != counter && line.role == LineRole::heading &&
           means_.begins() && !series->evaluates && series->tail == counter->tail &&
           shape_of(series->shape) != shape_of(counter->shape) && series->advances == 0 &&
           series->repeats == 0 && line.epoch == means_.base && count_.number() > means_.base;
  }

  /// All epochs are done, and lines of a new shape count to a total of their own: "[pretrain] epoch
  /// 4/4", "[finetune] epoch 1/3"; or they state durations as the lines of the epochs did, which
  /// come no more. Two of them are the next phase; returns whether this is the first.
  bool waits_for_phase(PlainSeen& seen, Readings& before) {
    const auto* series = series_.of(seen.line);
    if (begins_other_training(seen.line)) {
      means_.counter = series;
      seen.before.what = Statement::new_phase;
      seen.before.at_s = seen.at_s;
      return false;
    }
    if (series == means_.counter) {
      phase_.reset();
    }
    const bool all_done = count_.all_done(means_.base) && seen.line.epochs;
    const bool states_times =
        count_.number() > means_.base + 1 && means_.counter->states_times && seen.line.duration_s;
    if (!(all_done || states_times) || series == nullptr || series == means_.counter ||
        series->role != means_.counter->role || series->evaluates) {
      return false;
    }
    if (seen.line.epoch == means_.base && series->advances == 0 && series->repeats == 0) {
      phase_ = seen;
      return true;
    }
    if (phase_ && series_.of(phase_->line) == series && seen.line.epoch == means_.base + 1) {
      means_.counter = series;
      PlainSeen first = *std::exchange(phase_, std::nullopt);
      if (first.before.what == Statement::none) {
        first.before.what = Statement::new_phase;
        first.before.at_s = first.at_s;
      }
      if (auto reading = of_counter(first)) {
        before.push_back({std::move(*reading), first.at_s, first.since_s});
      }
    }
    return false;
  }

  /// Whether the counter may count again here: a statement says so, or all epochs are done.
  bool restarts(const PlainSeen& seen) const {
    return seen.before.what != Statement::none || count_.all_done(means_.base);
  }

  std::optional<Reading> of_counter(const PlainSeen& seen) {
    const auto& line = seen.line;
    const auto epoch = means_.from_zero(line.epoch);
    if (!epoch) {
      return std::nullopt;
    }
    const auto contradiction = count_.contradiction(line);
    if (!contradiction.empty() && !restarts(seen)) {
      return conflict(seen, contradiction);
    }
    const bool again = count_.falls_to(line);
    const bool same = count_.number() == line.epoch && seen.before.what == Statement::none;
    if (same && !means_.duplicates && line.duration_s && means_.counter->interval_s == 0 &&
        means_.counter->step_times.of() == StepTimes::Of::unknown) {
      return conflict(seen, "without stamps, an epoch has two durations");
    }
    if (line.undecided && !seen.timed) {
      return conflict(seen, "without stamps, which of the durations is the epoch's is not known");
    }
    const bool first = !count_.number();
    Reading reading{.epoch = epoch, .epochs = means_.total_of(line)};
    reading.restart = seen.before;
    if (again && reading.restart.what == Statement::none) {
      reading.restart.what = Statement::new_phase;
    }
    reading.metrics = line.metrics;
    reading.evidence = line.epochs ? 0.5 : 0.34;
    if (count_.number() != line.epoch) {
      of_run_.begin_epoch();
    }
    count_.count(seen);
    if (same && means_.duplicates) {
      return std::nullopt;
    }
    if (means_.lines == CounterLines::steps ||
        (line.role == LineRole::step && !(means_.ends() && means_.counter->steps_grow))) {
      add_place(line, *means_.counter, reading);
      return reading;
    }
    if (means_.lines == CounterLines::several) {
      // Else it began after the evaluation, or where another line ended the epoch before.
      reading.begins_epoch = !same && !means_.evaluates && !series_.another_ends(*means_.counter);
      reading.running = true;
      return reading;
    }
    if (means_.begins()) {
      if (same) {
        return std::nullopt;
      }
      reading.begins_epoch = true;
      return reading;
    }
    if (same) {
      // The program prints the same line again: it did not end the epoch.
      means_.lines = means_.counter->repeats_at_once() ? means_.lines : CounterLines::several;
      reading.evidence = 0;
      return reading;
    }
    reading.ends_epoch = true;
    take_durations(line, reading);
    reading.samples = line.samples;
    if (const auto stated = std::exchange(stated_next_, {});
        stated.epoch == line.epoch || (stated.role == LineRole::duration && !line.duration_s)) {
      take_durations(stated, reading);
    }
    if (first && means_.stride > 1 && line.epoch + 1 - means_.base == means_.stride) {
      reading.since_epoch = 0;
    }
    if (line.evaluates && of_evaluation(line.shape.substr(0, line.shape.find('#')))) {
      reading.evaluation_s = std::exchange(reading.duration_s, {});  // "eval | epoch: 3 | 9.0 s"
    }
    count_.end(epoch, reading.duration_s.has_value());
    return reading;
  }

  static void take_durations(const PlainLine& line, Reading& reading) {
    reading.duration_s = line.duration_s;
    reading.evaluation_s = line.evaluation_s;
  }

  void take_elapsed(const PlainLine& line, Reading& reading) const {
    (means_.elapsed == ElapsedSince::begin_of_run ? reading.clock_s : reading.elapsed_s) =
        line.elapsed_s;
  }

  static void take_step_time(StepTimes::Of of, double time_s, Reading& reading) {
    switch (of) {
      case StepTimes::Of::unknown:
        break;
      case StepTimes::Of::step:
        reading.step_s = time_s;
        break;
      case StepTimes::Of::since_begin_of_epoch:
        reading.elapsed_s = time_s;
        break;
      case StepTimes::Of::since_begin_of_run:
        reading.clock_s = time_s;
        break;
    }
  }

  void add_place(const PlainLine& line, const PlainSeries& shape, Reading& reading) const {
    // Numbers from 0 that never reach the total are those of steps that are done.
    const bool from_zero = shape.least_step == 0 && !shape.reaches_total;
    reading.part = line.part;
    reading.step = line.step ? std::optional(*line.step + (from_zero ? 1 : 0)) : std::nullopt;
    reading.steps = line.steps;
    reading.step_s = line.step_duration_s;
    take_elapsed(line, reading);
    if (line.step && line.duration_s) {
      take_step_time(shape.step_times.of(), *line.duration_s, reading);
    }
    if (line.samples) {
      reading.samples = line.samples;
    }
  }

  /// "train Loss: 0.5" once below each heading ends the training, "val Loss: 0.6" the evaluation.
  std::optional<Reading> of_values(const PlainSeen& seen) {
    const auto& line = seen.line;
    const auto most = loose_.most_in_epoch(line.tail);
    const bool over =
        count_.ended() && count_.number() && count_.ended() == means_.from_zero(*count_.number());
    const bool evaluated =
        line.evaluates && count_.ended() && (means_.ends() || over);  // after the epoch's line
    const bool below = means_.begins();
    const bool among_steps = line.evaluates && loose_.any_steps();
    if (!(below || evaluated) || !count_.number() || most == 0 ||
        (below && most != 1 && !among_steps)) {
      return std::nullopt;
    }
    Reading reading{.epoch = means_.from_zero(*count_.number()), .metrics = line.metrics};
    for (auto& value : reading.metrics) {
      value.name = line.shape == "loss" || value.name.starts_with(line.shape)
                       ? value.name
                       : line.shape + " " + value.name;
    }
    if (line.evaluates || count_.ended() == reading.epoch) {
      reading.phase = Phase::evaluate;
      reading.step = reading.steps = 1;
      reading.duration_s = line.duration_s ? line.duration_s : line.evaluation_s;
      if (means_.elapsed == ElapsedSince::begin_of_run) {
        take_elapsed(line, reading);
      }
      return reading;
    }
    if (line.duration_s && !seen.timed && loose_.has_unnamed_times()) {
      return conflict(seen, "without stamps, an epoch has two durations");
    }
    reading.ends_epoch = true;
    take_durations(line, reading);
    count_.end(reading.epoch);
    return reading;
  }

  /// The epoch of a step that names none: below its heading, or above the line that ends it.
  std::optional<std::int64_t> epoch_of_loose_step(const PlainLine& line) const {
    if (means_.ends()) {
      const bool known =
          means_.stride == 1 && !count_.all_done(means_.base) && loose_.came_first(line);
      const auto number = count_.number() ? *count_.number() + 1 : means_.counter->first;
      return known ? means_.from_zero(number) : std::nullopt;
    }
    return means_.begins() && count_.number() ? means_.from_zero(*count_.number()) : std::nullopt;
  }

  /// "step 50/200 loss 0.9" below a heading.
  std::optional<Reading> of_loose_step(const PlainSeen& seen) const {
    const auto& line = seen.line;
    if (line.evaluates && line.steps && count_.number() && loose_.is_step(line)) {
      const auto done = std::min(loose_.steps_done(line), *line.steps);
      return Reading{
          .phase = Phase::evaluate, .step = done, .steps = line.steps, .elapsed_s = line.elapsed_s};
    }
    const auto epoch = epoch_of_loose_step(line);
    if (!epoch || count_.ended() == epoch || line.evaluates || !loose_.is_step(line)) {
      return std::nullopt;
    }
    const auto done = loose_.steps_done(line);
    if (line.steps && done > *line.steps) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch, .step = done, .steps = line.steps, .restart = seen.before};
    take_elapsed(line, reading);
    return reading;
  }

  /// "Training finished, time: 0:08:20" after the last of several epochs, whose times other lines
  /// state: it is of the run.
  bool is_total(const PlainLine& line) {
    const auto* series = means_.counter;
    return !line.evaluates && count_.number() && of_run_.is_total(line.shape, *count_.number()) &&
           count_.number() != series->first && series->states_times;
  }

  /// A line that states only how long something took, after it.
  static std::optional<Reading> of_duration(const PlainLine& line,
                                            std::optional<std::int64_t> epoch) {
    if (!epoch) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch};
    take_durations(line, reading);
    if (line.evaluates) {
      reading.phase = Phase::evaluate;
      reading.step = reading.steps = 1;
    } else {
      reading.states_duration = true;
    }
    return reading;
  }

  /// Lines of other shapes than the counter's: about the epoch that is open, or not at all.
  std::optional<Reading> of_other(const PlainSeen& seen) {
    const auto& line = seen.line;
    if (line.role == LineRole::ending) {
      note_ending(seen);
      return std::nullopt;
    }
    if (line.unnamed_time &&
        (seen.timed || means_.counter->states_times || !loose_.is_time_of_epoch(line))) {
      return std::nullopt;
    }
    if (line.role == LineRole::duration && means_.durations == LooseDurations::of_epoch_after) {
      stated_next_.role = LineRole::duration;
      (line.evaluates ? stated_next_.evaluation_s : stated_next_.duration_s) = line.duration_s;
      return std::nullopt;
    }
    if (line.role == LineRole::duration && is_total(line)) {
      return std::nullopt;
    }
    if (line.role == LineRole::duration) {
      const auto open = count_.number() ? means_.from_zero(*count_.number()) : std::nullopt;
      return of_duration(line, count_.ended() && means_.ends() ? count_.ended() : open);
    }
    if (line.role == LineRole::step && line.epoch < 0) {
      return of_loose_step(seen);
    }
    if (line.epoch < 0) {
      return of_values(seen);
    }
    const auto* found = series_.of(line);
    const bool only_duration = line.duration_s && line.metrics.empty() && !line.evaluates;
    const bool of_next = means_.ends() && (!count_.number() || line.epoch == *count_.number() + 1);
    if (only_duration && of_next) {
      stated_next_ = line;  // the line that ends the epoch comes after it
    }
    if (line.role == LineRole::mention || found == nullptr || !count_.number()) {
      return std::nullopt;
    }
    const auto& shape = *found;
    if (shape_of(line.shape) == shape_of(means_.counter->shape)) {
      return std::nullopt;  // the same line of another rank
    }
    if (shape.advances >= 2 &&
        line.epoch >= *count_.number() + 2 * std::max<std::int64_t>(1, means_.stride) &&
        !line.evaluates) {
      means_.count_by(shape);  // the lines that counted so far come no more
      return of_counter(seen);
    }
    if (line.epoch != *count_.number() && !of_next) {
      return std::nullopt;
    }
    const auto epoch = means_.from_zero(line.epoch);
    if (!epoch) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch, .metrics = line.metrics};
    if (line.role == LineRole::step && !line.evaluates) {
      if (!of_next && means_.ends()) {
        return std::nullopt;
      }
      add_place(line, shape, reading);
      reading.restart = seen.before;
      return reading;
    }
    if (of_next) {
      return std::nullopt;
    }
    const bool after_end = count_.ended() == epoch;
    const bool first_duration =
        line.duration_s && !line.evaluates && count_.states_first_duration();
    if (after_end && (only_duration || (first_duration && !seen.timed))) {
      return of_duration(line, epoch);
    }
    if (after_end && !line.evaluates && line.duration_s && !seen.timed) {
      return conflict(seen, "without stamps, an epoch has two durations");
    }
    if (line.evaluates || after_end) {
      const bool begins = line.role != LineRole::summary && line.metrics.empty() &&
                          !line.duration_s && !line.evaluation_s;
      reading.phase = Phase::evaluate;
      reading.duration_s = line.duration_s ? line.duration_s : line.evaluation_s;
      reading.steps = 1;
      reading.step = begins && line.evaluates ? 0 : 1;
      return reading;
    }
    if (line.role == LineRole::summary && !means_.ends()) {
      if (shape.repeats > shape.advances && !shape.repeats_at_once()) {  // it ends no epoch
        reading.running = true;
        return reading;
      }
      reading.ends_epoch = true;
      take_durations(line, reading);
      reading.step = line.step;
      reading.samples = line.samples;
      count_.end(epoch, reading.duration_s.has_value());
      return reading;
    }
    return reading.metrics.empty() ? std::nullopt : std::optional(reading);
  }

  PlainLines lines_;
  PlainSeriesSet series_;
  LooseLines loose_;
  Identities identities_;
  PlainMeaning means_;
  PlainLine stated_next_;           ///< How long an epoch took that has not ended yet.
  std::optional<PlainSeen> phase_;  ///< What may be the first line of another phase.
  PlainCount count_;
  Restart carried_;  ///< A statement, and a line after it that told nothing.
  LinesOfRun of_run_;
  Evaluations evaluations_;
};

}  // namespace plain_format

FormatSpec plain() {
  return {.summary = "a loop's own prints that name the epoch: 'Epoch 3/10 loss 0.5'",
          .hints = {"poch", "POCH", "rain Loss:", "al Loss:", "est Loss:", "rain loss:", "al loss:",
                    "est loss:", "LOSS train", "tep ", "tep:", "atch ", "Done", "done", "inished",
                    "omplete", "aved", "Time difference of "},
          .general = true,
          .open = [](const auto&) { return std::make_unique<plain_format::PlainParser>(); }};
}

}  // namespace epochcast::progress::formats
