// Hugging Face's Trainer: lines that are Python dictionaries, {'loss': 2.9, 'epoch': 0.4}, with the
// part of the epoch; since Transformers 5 the numbers are texts. Its bar counts the steps of the
// run; bars of evaluations have another length. From both follow the steps of an epoch.
#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "src/base/core/text.hpp"
#include "src/measure/progress/bar.hpp"
#include "src/measure/progress/format.hpp"
#include "src/measure/progress/words.hpp"

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

/// Lines wait until it is known how many steps an epoch has, and are then read from the first on.
class HuggingFaceParser final : public LineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override {
    constexpr std::size_t most_lines = 1024;
    static const RegularExpression batch(R"(Total train batch size .*= (?<samples>[\d,]+)$)");
    if (const auto match = run_steps_ ? std::nullopt : batch.find(line.text)) {
      samples_ = count_in(*match, "samples");
    }
    auto reading = interpret(line);
    if (!run_steps_ || replayed_) {
      return reading;
    }
    lines_.emplace_back(line);
    evidence_ += reading ? reading->evidence : 0;
    if (steps_of_epoch_ || lines_.size() >= most_lines) {
      replay();
    }
    return std::nullopt;
  }

  std::vector<TimedReading> waiting() override { return std::exchange(ready_, {}); }
  void finish() override {
    if (run_steps_ && !steps_of_epoch_ && !replayed_ && evidence_ > 0) {
      ready_.push_back(
          {{.evidence = evidence_, .conflict = "how many steps an epoch has is not known"},
           lines_.back().at_s,
           lines_.back().since_s});
    }
    replay();
  }
  bool hear(const Restart& restart) override {
    last_done_ = restart.what == Statement::new_attempt ? 0 : last_done_;
    return false;
  }
  double evidence_of_waiting() const override { return replayed_ ? 0 : evidence_; }

 private:
  void replay() {
    replayed_ = true;
    last_step_ = 0;
    last_done_ = 0;
    elapsed_s_.reset();
    done_.reset();
    replay_lines(lines_, ready_, [&](const auto& kept) { return interpret(kept.line()); });
  }

  std::optional<Reading> interpret(const Line& line) {
    const auto begin = line.text.find("{'");
    const auto bar = parse_bar(line.text.substr(0, begin));
    auto of_bar_alone = bar && bar->description.empty() ? of_bar(*bar) : std::nullopt;
    return begin != std::string_view::npos ? of_dictionary(dictionary(line.text.substr(begin)))
                                           : of_bar_alone;  // the dictionary knows its time
  }

  std::optional<Reading> of_dictionary(std::vector<NamedValue> values) {
    constexpr double most_epochs = 1e9;
    Reading reading;
    std::optional<double> done;
    bool evaluates = false;
    bool own = false;  // anybody may print a dictionary with an epoch
    for (auto& value : values) {
      evaluates = evaluates || value.name.starts_with("eval_");
      reading.ends_run = reading.ends_run || value.name == "train_runtime";
      own = own || evaluates || reading.ends_run || value.name == "learning_rate";
      if (value.name == "epoch") {
        done = value.value;
      } else if (std::isfinite(value.value)) {
        reading.metrics.push_back(std::move(value));
      }
    }
    if (!own || !done || !(*done >= 0) || *done > most_epochs || reading.metrics.empty()) {
      return std::nullopt;
    }
    const auto epoch = std::max<std::int64_t>(0, std::llround(std::ceil(*done - 1e-4)) - 1);
    if (begins_within(epoch)) {
      return std::nullopt;
    }
    if (*done < std::exchange(last_done_, *done)) {  // of an evaluation too
      reading.conflict = fmt::format("the epoch falls back to {}", *done);
    }
    if (steps_of_epoch_ && static_cast<double>(last_step_) >
                               (*done + 0.01) * static_cast<double>(*steps_of_epoch_) + 1) {
      reading.conflict = fmt::format("{} steps are more than {} epochs", last_step_, *done);
    }
    done_ = done;
    if (last_step_ == run_steps_) {
      narrow(last_step_, last_step_, *done);
    }
    reading.epoch = epoch;
    reading.part = std::min(1.0, *done - static_cast<double>(epoch));
    reading.evidence = 0.5;
    if (evaluates) {
      reading.phase = Phase::evaluate;
      reading.step = reading.steps = 1;  // it is over
      for (const auto& metric : reading.metrics) {
        if (metric.name == "eval_runtime") {
          reading.duration_s = metric.value;
        }
      }
      return reading;
    }
    if (elapsed_s_) {
      reading.clock_s = elapsed_s_;
    }
    if (steps_of_epoch_) {
      reading.samples = samples_;
      reading.steps = steps_of_epoch_;
      reading.step = std::llround(*reading.part * static_cast<double>(*steps_of_epoch_));
    }
    return reading;
  }

  std::optional<Reading> of_bar(const Bar& bar) {
    if (!bar.total || bar.done > *bar.total || bar.scaled) {
      return std::nullopt;
    }
    if (!run_steps_ || (bar.done == 0 && last_step_ == 0)) {
      run_steps_ = bar.total;
      first_step_ = bar.elapsed_s <= 1 ? bar.done : 0;
    }
    if (bar.total != run_steps_ || bar.done < last_step_) {
      return Reading{.phase = Phase::evaluate,
                     .step = bar.done,
                     .steps = bar.total,
                     .elapsed_s = bar.elapsed_s};
    }
    if (done_) {
      narrow(last_step_, bar.done, *done_);
    }
    elapsed_s_ = bar.elapsed_s;
    last_step_ = bar.done;
    done_.reset();
    if (!steps_of_epoch_ || *steps_of_epoch_ < 1) {
      steps_of_epoch_.reset();
      return bar.done == 0 ? std::optional(Reading{.epoch = 0, .part = 0, .begins_epoch = true})
                           : std::nullopt;
    }
    const auto epochs = (*run_steps_ + *steps_of_epoch_ - 1) / *steps_of_epoch_;
    if (bar.done == first_step_ && bar.done % *steps_of_epoch_ == 0) {
      return Reading{.epoch = bar.done / *steps_of_epoch_,
                     .epochs = epochs,
                     .clock_s = bar.elapsed_s,
                     .begins_epoch = true};
    }
    const auto epoch = bar.done == 0 ? 0 : (bar.done - 1) / *steps_of_epoch_;
    if (begins_within(epoch)) {
      return std::nullopt;
    }
    return Reading{.epoch = epoch,
                   .epochs = epochs,
                   .step = bar.done - epoch * *steps_of_epoch_,
                   .steps = steps_of_epoch_,
                   .samples = samples_,
                   .clock_s = bar.elapsed_s,
                   .evidence = 0.1};
  }

  /// A run that goes on from a checkpoint within an epoch shows only a part of it.
  bool begins_within(std::int64_t epoch) const {
    return steps_of_epoch_ && first_step_ % *steps_of_epoch_ != 0 &&
           epoch == first_step_ / *steps_of_epoch_;
  }

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
    if (steps_of_epoch_ || !run_steps_ || !(epochs > off) || to < 1) {
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
      if (*run_steps_ % number == 0) {
        dividing = number;
        ++count;
      }
    }
    if (count == 1 && dividing <= last) {
      steps_of_epoch_ = dividing;
    } else if (first == last && epochs >= 1) {
      steps_of_epoch_ = first;
    }
  }

  Range of_all_, of_whole_;
  std::optional<std::int64_t> run_steps_;
  std::optional<std::int64_t> steps_of_epoch_;
  std::int64_t first_step_ = 0;  ///< Where the bar began: a run may go on from a checkpoint.
  std::int64_t last_step_ = 0;
  std::optional<std::int64_t> samples_;  ///< Of a step, of all devices.
  std::optional<double> elapsed_s_;      ///< Of the run, by its bar.
  std::optional<double> done_;           ///< Epochs done by the last line, until the bar is drawn.
  std::vector<KeptLine> lines_;          ///< Those that wait.
  std::vector<TimedReading> ready_;
  bool replayed_ = false;
  double last_done_ = 0;  ///< Epochs, by the last line of this attempt.
  double evidence_ = 0;   ///< Of those that wait.
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
