// Hugging Face's Trainer: lines that are Python dictionaries, {'loss': 2.9, 'epoch': 0.4}, with the
// part of the epoch; since Transformers 5 the numbers are texts. Its bar counts the steps of the
// run; bars of evaluations have another length. From both follow the steps of an epoch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/bar.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress::formats {
namespace huggingface_format {

/// The numbers of "{'loss': 2.9, 'epoch': '0.4'}"; empty if the text is anything else.
std::vector<NamedValue> dictionary(std::string_view text) {
  constexpr std::size_t most = 64;
  static const RegularExpression entry(
      R"(^(?:\{|, )'(?<name>[^']+)': (?<quote>'?)(?<value>[^', }]+)\g{quote}(?<rest>.*))");
  std::vector<NamedValue> values;
  while (values.size() < most) {
    const auto match = entry.find(text);
    const auto value = match ? parse_double(match->text("value")) : std::nullopt;
    if (!value) {
      return {};
    }
    values.push_back({.name = std::string(match->text("name")), .value = *value});
    text = match->text("rest");
    if (trim(text) == "}") {
      return values;
    }
  }
  return {};
}

/// A dictionary of the Trainer, which says how many epochs are done.
struct Entry {
  Reading reading;
  double done = 0;
};

/// Anybody may print a dictionary with an epoch: that of a Trainer has the learning rate, too, or
/// results of an evaluation or of the run.
std::optional<Entry> parse_entry(std::string_view text) {
  constexpr double most_epochs = 1e9;
  Entry entry;
  auto& reading = entry.reading;
  std::optional<double> done;
  bool own = false;
  for (auto& value : dictionary(text)) {
    const bool evaluates = value.name.starts_with("eval_");
    reading.phase = evaluates ? Phase::evaluate : reading.phase;
    reading.ends_run = reading.ends_run || value.name == "train_runtime";
    own = own || evaluates || reading.ends_run || value.name == "learning_rate";
    if (evaluates && value.name.ends_with("_runtime")) {  // of one of several sets, too
      reading.duration_s = value.value;
    }
    if (value.name == "epoch") {
      done = value.value;
    } else if (std::isfinite(value.value)) {
      reading.metrics.push_back(std::move(value));
    }
  }
  if (!own || !done || !(*done >= 0) || *done > most_epochs || reading.metrics.empty()) {
    return std::nullopt;
  }
  entry.done = *done;
  reading.epoch = std::max<std::int64_t>(0, std::llround(std::ceil(*done - 1e-4)) - 1);
  reading.part = std::min(1.0, *done - static_cast<double>(*reading.epoch));
  reading.evidence = 0.5;
  if (reading.phase == Phase::evaluate) {
    reading.step = reading.steps = 1;  // it is over
  }
  return entry;
}

/// What the Trainer's logger says before its bar: "Num Epochs = 4", "Total optimization steps =
/// 48".
struct Stated {
  std::map<std::string, std::int64_t, std::less<>> counts;

  void read(std::string_view text) {
    static const RegularExpression form(
        R"((?<name>Num examples|Num Epochs|Total train batch size|Total optimization steps)\b)"
        R"([^=]*= (?<count>\d[\d,]*)$)");
    if (const auto match = form.find(text)) {
      counts[std::string(match->text("name"))] = count_in(*match, "count").value_or(0);
    }
  }
  std::optional<std::int64_t> find(std::string_view name) const {
    const auto found = counts.find(name);
    return found != counts.end() && found->second > 0 ? std::optional(found->second) : std::nullopt;
  }
  std::optional<std::int64_t> run_steps() const { return find("Total optimization steps"); }
  std::optional<std::int64_t> epochs() const { return find("Num Epochs"); }
  std::optional<std::int64_t> samples() const { return find("Total train batch size"); }

  /// A limit of the steps may end the run within an epoch: the examples must give as many.
  std::optional<std::int64_t> steps_of_epoch() const {
    const auto examples = find("Num examples");
    if (!run_steps() || !epochs() || !samples() || !examples || *run_steps() % *epochs() != 0) {
      return std::nullopt;
    }
    const auto steps = *run_steps() / *epochs();
    const bool fits =
        steps == *examples / *samples() || steps == (*examples + *samples() - 1) / *samples();
    return fits ? std::optional(steps) : std::nullopt;
  }
};

/// How many steps an epoch has, by the bar of the run, the epochs that are done, and what is
/// stated.
class StepsOfEpoch {
 public:
  void read(std::string_view text) { stated_.read(text); }
  void read(const Bar& bar) {
    if (!run_ || (bar.done == 0 && last_ == 0)) {
      run_ = bar.total;
      first_ = bar.elapsed_s <= 1 ? bar.done : 0;
      known_ = is_stated() ? stated_.steps_of_epoch() : std::nullopt;
    }
    if (bar.total != run_ || bar.done < last_) {
      return;
    }
    if (done_) {
      narrow(last_, bar.done, *done_);
    }
    last_ = bar.done;
    done_.reset();
  }
  void read(const Entry& entry) {
    done_ = entry.done;
    if (last_ == run_) {
      narrow(last_, last_, entry.done);
    }
  }
  /// A new attempt draws its bar again.
  void begin_again() {
    last_ = 0;
    done_.reset();
  }

  /// The length of the run's bar.
  std::optional<std::int64_t> of_run() const { return run_; }
  /// Whether the Trainer's logger said how long the bar is.
  bool is_stated() const { return run_ && stated_.run_steps() == run_; }
  std::optional<std::int64_t> known() const { return known_; }
  std::optional<std::int64_t> samples() const { return stated_.samples(); }
  /// What was known does not fit what came after.
  bool disagrees() const { return disagrees_; }
  /// Where the bar began: a run may go on from a checkpoint.
  std::int64_t first() const { return first_; }

 private:
  struct Range {
    double least = 0, most = 1e15;
    void narrow(double from, double to) {
      least = std::max(least, from);
      most = std::min(most, to);
    }
    bool empty() const { return least > most; }
  };
  /// After so many steps of the run, `epochs` was printed: with two decimals, or with all.
  struct Print {
    std::int64_t from = 0, to = 0;
    double epochs = 0;

    double off() const {
      const bool rounded = std::abs(epochs * 100 - std::round(epochs * 100)) < 1e-9;
      return rounded ? 0.00501 : 1e-9 * epochs + 1e-12;
    }
  };

  /// Which parts of an epoch a step may be, if it has `steps` of them. The last step of an epoch
  /// may have fewer batches than the others, or the last batches are left out.
  static Range parts_of_step(const Print& print, std::int64_t steps) {
    Range parts{.least = 1e15, .most = 0};
    for (auto step = std::max<std::int64_t>(1, print.from); step <= print.to; ++step) {
      const auto epoch = (step - 1) / steps;
      const auto within = static_cast<double>(step - epoch * steps);
      const double part = print.epochs - static_cast<double>(epoch);
      if (part >= -print.off() && part <= 1 + print.off()) {
        parts.least = std::min(parts.least, (part - print.off()) / within);
        parts.most =
            std::max(parts.most, part + print.off() >= 1 ? 1e15 : (part + print.off()) / within);
      }
    }
    return parts;
  }

  bool fits(const std::vector<Print>& prints, std::int64_t steps) const {
    constexpr std::int64_t most_wide = 32;
    const auto all = static_cast<double>(steps);
    Range parts{.least = 1 / (all + 1), .most = steps > 1 ? 1 / (all - 1) : 1e15};
    for (const auto& print : prints) {
      if (print.to - print.from < most_wide) {
        const auto more = parts_of_step(print, steps);
        parts.narrow(more.least, more.most);
      }
    }
    const auto epochs = is_stated() ? stated_.epochs() : std::nullopt;
    return !parts.empty() && (!epochs || (*run_ + steps - 1) / steps == *epochs);
  }

  /// One number must be left, or one that divides the steps of the run.
  void narrow(std::int64_t from, std::int64_t to, double epochs) {
    constexpr std::size_t most_prints = 64;
    constexpr std::int64_t most_numbers = 1000;
    const Print print{.from = from, .to = to, .epochs = epochs};
    const double off = print.off();
    if (!run_ || !(epochs > off) || to < 1) {
      return;
    }
    if (known_) {
      disagrees_ = disagrees_ || !fits({print}, *known_);
      return;
    }
    if (prints_.size() < most_prints) {
      prints_.push_back(print);
    }
    equal_.narrow(static_cast<double>(from) / (epochs + off),
                  static_cast<double>(to) / (epochs - off));
    const Range unequal{.least = static_cast<double>(from - 1) / (epochs + off),
                        .most = static_cast<double>(to + 1) / (epochs - off)};
    const auto& range = equal_.empty() ? unequal : equal_;
    const auto first = std::max<std::int64_t>(1, std::llround(std::ceil(range.least - 1e-6)));
    const auto last = std::int64_t(std::floor(std::min(range.most + 1e-6, 1e9)));
    std::int64_t number = 0, numbers = 0, dividing = 0, dividers = 0;
    // A small last step may be one more.
    const auto most = last + (!equal_.empty() && epochs < 1 ? 1 : 0);
    for (auto steps = first; steps <= most && last - first < most_numbers; ++steps) {
      if (fits(prints_, steps)) {
        number = steps;
        ++numbers;
        dividing = *run_ % steps == 0 ? steps : dividing;
        dividers += *run_ % steps == 0 ? 1 : 0;
      }
    }
    if (dividers == 1 && dividing <= last) {
      known_ = dividing;
    } else if (numbers == 1 && number <= last && epochs >= 1) {
      known_ = number;
    }
  }

  Stated stated_;
  Range equal_;  ///< Steps that are equal parts of their epoch.
  std::vector<Print> prints_;
  std::optional<std::int64_t> run_, known_;
  std::int64_t first_ = 0, last_ = 0;
  bool disagrees_ = false;
  std::optional<double> done_;  ///< Epochs by the last dictionary, until the bar is drawn.
};

std::optional<Entry> entry_of(std::string_view text) {
  const auto begin = text.find("{'");
  return begin == std::string_view::npos ? std::nullopt : parse_entry(text.substr(begin));
}

std::optional<Bar> parse_run_bar(std::string_view text) {
  const bool has_total = text.find("%|") != std::string_view::npos;
  auto bar = has_total ? parse_bar(text.substr(0, text.find("{'"))) : std::nullopt;
  const bool fits = bar && bar->description.empty() && bar->total && bar->done <= *bar->total;
  return fits && !bar->scaled ? bar : std::nullopt;
}

/// What is kept of a line: it is read once.
struct TrainerLine {
  std::optional<std::int64_t> bar_total;  ///< Of a bar that may be the run's.
  std::int64_t bar_done = 0;
  double bar_elapsed_s = 0;
  bool has_dictionary = false;
  std::optional<Entry> entry;  ///< Of the dictionary, if it is a Trainer's.
  double at_s = 0, since_s = 0;
};

/// Of one train(). Lines wait from the bar of the run on, until it is known how many steps an epoch
/// has.
class RunParser final : public DecidingParser<TrainerLine> {
 public:
  bool hear(const Restart& restart) override {
    if (restart.what == Statement::new_attempt) {
      last_done_ = 0;
      steps_.begin_again();
    }
    return false;
  }
  /// That the bar is as long as the Trainer said is as good as its dictionaries.
  double evidence_of_waiting() const override { return decided() ? 0 : evidence_ + of_statement(); }
  std::optional<std::int64_t> run_steps() const { return steps_.of_run(); }
  /// Epochs, where a line said that the run has ended.
  std::optional<double> ended_at() const { return ended_at_; }

 private:
  double of_statement() const { return steps_.is_stated() ? 0.5 : 0; }

  std::optional<TrainerLine> see(const Line& line) override {
    TrainerLine seen{.has_dictionary = line.text.find("{'") != std::string_view::npos,
                     .entry = entry_of(line.text),
                     .at_s = line.at_s,
                     .since_s = line.since_s};
    if (const auto bar = parse_run_bar(line.text)) {
      steps_.read(*bar);
      seen.bar_total = bar->total;
      seen.bar_done = bar->done;
      seen.bar_elapsed_s = bar->elapsed_s;
    }
    if (seen.entry) {
      steps_.read(*seen.entry);
      evidence_ += steps_.of_run() ? seen.entry->reading.evidence : 0;
      ended_at_ = seen.entry->reading.ends_run ? seen.entry->done : ended_at_;
    } else if (!steps_.of_run()) {
      steps_.read(line.text);
    }
    return seen;
  }

  bool tells_alone(const TrainerLine& /*line*/) const override { return !steps_.of_run(); }

  bool decide(const std::vector<TrainerLine>& waiting, bool at_end) override {
    unclear_ = at_end && steps_.of_run() && !steps_.known() && evidence_ > 0;
    return steps_.known() || at_end || waiting.size() >= most_waiting();
  }

  std::size_t most_waiting() const override { return 1024; }

  std::optional<Reading> interpret(const TrainerLine& line, Readings& before) override {
    if (unclear_) {
      return Reading{.evidence = evidence_, .conflict = "how many steps an epoch has is not known"};
    }
    auto of_bar_alone = line.bar_total ? of_bar(line) : std::nullopt;
    if (line.bar_total) {
      evaluated_s_.reset();
    }
    const auto& entry = line.entry;
    if (!line.has_dictionary) {
      return of_bar_alone;
    }
    if (entry && entry->reading.phase == Phase::evaluate) {
      if (const auto since_s = std::exchange(evaluated_s_, line.at_s)) {  // on another set
        before.push_back({{.phase = Phase::evaluate, .step = 0, .steps = 1}, *since_s});
      }
    }
    return entry ? of_entry(*entry) : std::nullopt;  // it knows its time
  }

  std::optional<Reading> of_entry(Entry entry) {
    auto& [reading, done] = entry;
    if (begins_within(*reading.epoch)) {
      return std::nullopt;
    }
    if (done < std::exchange(last_done_, done)) {  // of an evaluation too
      reading.conflict = fmt::format("the epoch falls back to {}", done);
    }
    const auto steps = steps_.known();
    if (steps_.disagrees()) {
      reading.conflict = fmt::format("{} epochs are not of {} steps each", done, *steps);
    }
    if (steps &&
        static_cast<double>(last_step_) > (done + 0.01) * static_cast<double>(*steps) + 1) {
      reading.conflict = fmt::format("{} steps are more than {} epochs", last_step_, done);
    }
    if (reading.phase == Phase::evaluate) {
      return reading;
    }
    reading.clock_s = elapsed_s_;
    if (steps) {
      reading.samples = steps_.samples();
      reading.steps = steps;
      reading.step = std::llround(*reading.part * static_cast<double>(*steps));
    }
    return reading;
  }

  std::optional<Reading> of_bar(const TrainerLine& line) {
    if (line.bar_total != steps_.of_run() || line.bar_done < last_step_) {
      return Reading{.phase = Phase::evaluate,
                     .step = line.bar_done,
                     .steps = line.bar_total,
                     .elapsed_s = line.bar_elapsed_s};
    }
    elapsed_s_ = line.bar_elapsed_s;
    last_step_ = line.bar_done;
    const auto steps = steps_.known();
    if (!steps) {
      return line.bar_done == 0
                 ? std::optional(Reading{.epoch = 0, .part = 0, .begins_epoch = true})
                 : std::nullopt;
    }
    const auto epochs = (*line.bar_total + *steps - 1) / *steps;
    if (line.bar_done == steps_.first() && line.bar_done % *steps == 0) {
      return Reading{.epoch = line.bar_done / *steps,
                     .epochs = epochs,
                     .clock_s = line.bar_elapsed_s,
                     .begins_epoch = true};
    }
    const auto epoch = line.bar_done == 0 ? 0 : (line.bar_done - 1) / *steps;
    if (begins_within(epoch)) {
      return std::nullopt;
    }
    return Reading{.epoch = epoch,
                   .epochs = epochs,
                   .step = line.bar_done - epoch * *steps,
                   .steps = steps,
                   .samples = steps_.samples(),
                   .clock_s = line.bar_elapsed_s,
                   .evidence = 0.1 + of_statement()};
  }

  /// A run that goes on from a checkpoint within an epoch shows only a part of it.
  bool begins_within(std::int64_t epoch) const {
    const auto steps = steps_.known();
    return steps && steps_.first() % *steps != 0 && epoch == steps_.first() / *steps;
  }

  StepsOfEpoch steps_;
  double evidence_ = 0;   ///< Of the lines that wait.
  bool unclear_ = false;  ///< How many steps an epoch has, at the end.
  std::int64_t last_step_ = 0;
  std::optional<double> elapsed_s_;    ///< Of the run, by its bar.
  std::optional<double> evaluated_s_;  ///< When the last line said that an evaluation is over.
  double last_done_ = 0;               ///< Epochs, by the last line of this attempt.
  std::optional<double> ended_at_;
};

/// A program may train several times. After the end of a run, lines wait for the next dictionary:
/// one with fewer epochs is of another run, and so is a bar of the same length.
class HuggingFaceParser final : public LineParser {
 public:
  void read(const Line& line, Readings& found) override {
    if (!run_->ended_at()) {
      run_->read(line, found);
      return;
    }
    constexpr std::size_t most_waiting = 4096;
    const auto entry = entry_of(line.text);
    waiting_.emplace_back(line);
    if ((entry && !entry->reading.ends_run) || waiting_.size() >= most_waiting) {
      decide(entry && entry->done < *run_->ended_at(), found);
    }
  }

  void finish(Readings& found) override {
    decide(false, found);
    run_->finish(found);
  }
  bool hear(const Restart& restart) override { return run_->hear(restart); }
  double evidence_of_waiting() const override { return run_->evidence_of_waiting(); }

 private:
  void decide(bool falls_back, Readings& found) {
    const auto lines = std::exchange(waiting_, {});
    auto begin = std::ranges::find_if(lines, [&](const auto& kept) {
      const auto bar = parse_run_bar(kept.text);
      return bar && bar->done == 0 && (falls_back || bar->total == run_->run_steps());
    });
    // What its logger says stands before its bar.
    while (begin != lines.end() && begin != lines.begin() && !shows_progress(*(begin - 1))) {
      --begin;
    }
    for (auto line = lines.begin(); line != lines.end(); ++line) {
      if (line == begin) {
        run_->finish(found);
        run_ = std::make_unique<RunParser>();
      }
      run_->read(line->line(), found);
    }
  }

  static bool shows_progress(const KeptLine& kept) {
    return parse_run_bar(kept.text) || entry_of(kept.text);
  }

  std::unique_ptr<RunParser> run_ = std::make_unique<RunParser>();
  std::vector<KeptLine> waiting_;  ///< Since the run ended, or since the last dictionary.
};

}  // namespace huggingface_format

FormatSpec huggingface() {
  return {.summary = "Hugging Face's Trainer: {'loss': 2.9, 'epoch': 0.4}, and its bar",
          .hints = {"{'", "%|", "Total train batch size", "Num examples", "Num Epochs",
                    "ptimization steps"},
          .open = [](const auto&) {
            return std::make_unique<huggingface_format::HuggingFaceParser>();
          }};
}

}  // namespace epochcast::progress::formats
