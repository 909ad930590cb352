// Hugging Face's Trainer: lines that are Python dictionaries, {'loss': 2.9, 'epoch': 0.4}, with the
// part of the epoch; since Transformers 5 the numbers are texts. Its bar counts the steps of the
// run; bars of evaluations have another length. From both follow the steps of an epoch.
#include <fmt/format.h>

#include <cmath>
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
    if (value.name == "eval_runtime") {
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

/// How many steps an epoch has, by the bar of the run and the epochs that are done.
class StepsOfEpoch {
 public:
  void read(const Bar& bar) {
    if (!run_ || (bar.done == 0 && last_ == 0)) {
      run_ = bar.total;
      first_ = bar.elapsed_s <= 1 ? bar.done : 0;
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

  /// The length of the run's bar.
  std::optional<std::int64_t> of_run() const { return run_; }
  std::optional<std::int64_t> known() const { return known_; }
  /// Where the bar began: a run may go on from a checkpoint.
  std::int64_t first() const { return first_; }

 private:
  struct Range {
    double least = 0, most = 1e15;
    void narrow(double from, double to) {
      least = std::max(least, from);
      most = std::min(most, to);
    }
  };

  /// The epoch is printed with two decimals, or with all: so many steps it may have, if so many of
  /// them (from, to) are done. One number must be left, or one that divides the steps of the run.
  /// Steps of several batches of which the last has fewer are no equal parts of an epoch: whole
  /// epochs count then.
  void narrow(std::int64_t from, std::int64_t to, double epochs) {
    const bool rounded = std::abs(epochs * 100 - std::round(epochs * 100)) < 1e-9;
    const double off = rounded ? 0.00501 : 1e-9 * epochs + 1e-12;
    if (known_ || !run_ || !(epochs > off) || to < 1) {
      return;
    }
    for (auto* range : {&of_all_, &of_whole_}) {
      if (range == &of_all_ || epochs == std::round(epochs)) {
        range->narrow(static_cast<double>(from) / (epochs + off),
                      static_cast<double>(to) / (epochs - off));
      }
    }
    const auto& range = of_all_.least <= of_all_.most ? of_all_ : of_whole_;
    const auto first = std::int64_t(std::ceil(std::min(range.least, 1e15) - 1e-6));
    const auto last = std::int64_t(std::floor(std::min(range.most + 1e-6, 1e9)));
    const auto more = epochs < 1 ? 1 : 0;  // a small last step may be one more
    std::int64_t dividing = 0;
    std::int64_t count = 0;
    for (auto number = std::max<std::int64_t>(1, first);
         number <= last + more && count < 2 && last - first < 1000; ++number) {
      if (*run_ % number == 0) {
        dividing = number;
        ++count;
      }
    }
    if (count == 1 && dividing <= last) {
      known_ = dividing;
    } else if (first == last && epochs >= 1) {
      known_ = first;
    }
  }

  Range of_all_, of_whole_;
  std::optional<std::int64_t> run_, known_;
  std::int64_t first_ = 0, last_ = 0;
  std::optional<double> done_;  ///< Epochs by the last dictionary, until the bar is drawn.
};

/// Lines wait from the bar of the run on, until it is known how many steps an epoch has.
class HuggingFaceParser final : public DecidingParser<KeptLine> {
 public:
  bool hear(const Restart& restart) override {
    last_done_ = restart.what == Statement::new_attempt ? 0 : last_done_;
    return false;
  }
  double evidence_of_waiting() const override { return decided() ? 0 : evidence_; }

 private:
  std::optional<KeptLine> see(const Line& line) override {
    static const RegularExpression batch(R"(Total train batch size .*= (?<samples>[\d,]+)$)");
    if (const auto match = steps_.of_run() ? std::nullopt : batch.find(line.text)) {
      samples_ = count_in(*match, "samples");
    }
    if (!steps_.known()) {
      const auto begin = line.text.find("{'");
      if (const auto bar = parse_run_bar(line.text.substr(0, begin))) {
        steps_.read(*bar);
      }
      if (const auto entry = entry_of(line.text)) {
        steps_.read(*entry);
        evidence_ += steps_.of_run() ? entry->reading.evidence : 0;
      }
    }
    return KeptLine(line);
  }

  bool tells_alone(const KeptLine& /*line*/) const override { return !steps_.of_run(); }

  bool decide(const std::vector<KeptLine>& waiting, bool at_end) override {
    unclear_ = at_end && steps_.of_run() && !steps_.known() && evidence_ > 0;
    return steps_.known() || at_end || waiting.size() >= most_waiting();
  }

  std::size_t most_waiting() const override { return 1024; }

  static std::optional<Entry> entry_of(std::string_view text) {
    const auto begin = text.find("{'");
    return begin == std::string_view::npos ? std::nullopt : parse_entry(text.substr(begin));
  }

  static std::optional<Bar> parse_run_bar(std::string_view text) {
    auto bar = parse_bar(text);
    const bool fits = bar && bar->description.empty() && bar->total && bar->done <= *bar->total;
    return fits && !bar->scaled ? bar : std::nullopt;
  }

  std::optional<Reading> interpret(const KeptLine& line, Readings& /*before*/) override {
    if (unclear_) {
      return Reading{.evidence = evidence_, .conflict = "how many steps an epoch has is not known"};
    }
    const auto begin = line.text.find("{'");
    const auto bar = parse_run_bar(std::string_view(line.text).substr(0, begin));
    auto of_bar_alone = bar ? of_bar(*bar) : std::nullopt;
    if (begin == std::string::npos) {
      return of_bar_alone;
    }
    auto entry = entry_of(line.text);
    return entry ? of_entry(std::move(*entry)) : std::nullopt;  // it knows its time
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
    if (steps &&
        static_cast<double>(last_step_) > (done + 0.01) * static_cast<double>(*steps) + 1) {
      reading.conflict = fmt::format("{} steps are more than {} epochs", last_step_, done);
    }
    if (reading.phase == Phase::evaluate) {
      return reading;
    }
    reading.clock_s = elapsed_s_;
    if (steps) {
      reading.samples = samples_;
      reading.steps = steps;
      reading.step = std::llround(*reading.part * static_cast<double>(*steps));
    }
    return reading;
  }

  std::optional<Reading> of_bar(const Bar& bar) {
    if (bar.total != steps_.of_run() || bar.done < last_step_) {
      return Reading{.phase = Phase::evaluate,
                     .step = bar.done,
                     .steps = bar.total,
                     .elapsed_s = bar.elapsed_s};
    }
    elapsed_s_ = bar.elapsed_s;
    last_step_ = bar.done;
    const auto steps = steps_.known();
    if (!steps) {
      return bar.done == 0 ? std::optional(Reading{.epoch = 0, .part = 0, .begins_epoch = true})
                           : std::nullopt;
    }
    const auto epochs = (*bar.total + *steps - 1) / *steps;
    if (bar.done == steps_.first() && bar.done % *steps == 0) {
      return Reading{.epoch = bar.done / *steps,
                     .epochs = epochs,
                     .clock_s = bar.elapsed_s,
                     .begins_epoch = true};
    }
    const auto epoch = bar.done == 0 ? 0 : (bar.done - 1) / *steps;
    if (begins_within(epoch)) {
      return std::nullopt;
    }
    return Reading{.epoch = epoch,
                   .epochs = epochs,
                   .step = bar.done - epoch * *steps,
                   .steps = steps,
                   .samples = samples_,
                   .clock_s = bar.elapsed_s,
                   .evidence = 0.1};
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
  std::optional<std::int64_t> samples_;  ///< Of a step, of all devices.
  std::optional<double> elapsed_s_;      ///< Of the run, by its bar.
  double last_done_ = 0;                 ///< Epochs, by the last line of this attempt.
};

}  // namespace huggingface_format

FormatSpec huggingface() {
  return {.summary = "Hugging Face's Trainer: {'loss': 2.9, 'epoch': 0.4}, and its bar",
          .hints = {"{'", "%|", "Total train batch size"},
          .open = [](const auto&) {
            return std::make_unique<huggingface_format::HuggingFaceParser>();
          }};
}

}  // namespace epochcast::progress::formats
