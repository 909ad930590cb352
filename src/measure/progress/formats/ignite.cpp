// PyTorch Ignite's engines. Those that run within the trainer's are evaluations:
//   Engine run starting with max_epochs=4.
//   Epoch[1] Complete. Time taken: 00:00:10.123
//   Engine run complete. Time taken: 00:00:40.500  (0.5: Engine run finished.)
// and, as its examples print, "Epoch[1] Iteration[10/100] Loss: 0.5", of the epoch or of the run,
// and "Validation Results - Epoch: 1  Avg loss: 0.4" after an evaluation.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "src/measure/progress/lines/values.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress::formats {
namespace ignite_format {

/// Whether iterations are counted by the run, and how many an epoch has then: a line's epoch says
/// between which numbers it is, and it divides the total, if there is one.
class Iterations {
 public:
  void read(std::int64_t epoch, std::int64_t iteration, std::optional<std::int64_t> total) {
    const bool next = last_ && epoch > last_epoch_;
    if (total && iteration > *total) {
      of_run_ = known_ = true;
      of_epoch_ = total;
    } else if (next && iteration <= *last_) {
      known_ = true;
    }
    of_run_ = of_run_ || (next && !known_);
    stride_ = last_ ? iteration - *last_ : iteration;
    last_epoch_ = epoch;
    last_ = iteration;
    total_ = total;
    const auto before = static_cast<double>(epoch);
    least_ = std::max(least_, static_cast<double>(iteration) / (before + 1));
    most_ = epoch > 0 ? std::min(most_, static_cast<double>(iteration - 1) / before) : most_;
    if (of_run_ && !known_) {
      find(total, epoch);
    }
  }
  /// The epoch is over: a total that is far is not the epoch's.
  void end_epoch() {
    of_run_ = of_run_ || (last_ && total_ && !known_ && *last_ + stride_ <= *total_);
  }
  /// std::nullopt: they are counted by the epoch, or it is not known how many one has.
  std::optional<std::int64_t> of_epoch() const { return of_epoch_; }
  bool begun() const { return last_.has_value(); }
  bool known() const { return known_; }
  bool of_run() const { return of_run_; }

 private:
  void find(std::optional<std::int64_t> total, std::int64_t epoch) {
    constexpr double most_tried = 1000;
    std::int64_t fitting = 0, found = 0;
    if (most_ - least_ > most_tried) {
      return;
    }
    for (auto number = std::llround(std::ceil(least_)); number <= std::llround(std::floor(most_));
         ++number) {
      if (!total || (*total % number == 0 && *total / number > epoch)) {
        ++found;
        fitting = number;
      }
    }
    if (found == 1) {
      known_ = true;
      of_epoch_ = fitting;
    }
  }

  bool known_ = false;
  bool of_run_ = false;
  double least_ = 1, most_ = 1e15;
  std::int64_t last_epoch_ = 0;
  std::int64_t stride_ = 0;
  std::optional<std::int64_t> last_, total_;
  std::optional<std::int64_t> of_epoch_;
};

/// Lines wait until it is known what the numbers of their iterations count.
class IgniteParser final : public DecidingParser<KeptLine> {
 public:
  double evidence_of_waiting() const override { return waiting().size() > 1 ? 0.5 : 0; }

 private:
  std::optional<KeptLine> see(const Line& line) override {
    static const RegularExpression form(
        R"(^.{0,63}?Epoch\[(?<epoch>[1-9]\d{0,14})\] Iteration\[(?<step>\d{1,15})(?:/(?<steps>\d{1,15}))?\])");
    if (decided()) {
      return KeptLine(line);
    }
    const auto match = form.find(line.text);
    if (const auto step = match ? count_in(*match, "step") : std::nullopt) {
      iterations_.read(*count_in(*match, "epoch") - 1, *step, count_in(*match, "steps"));
    } else if (line.text.find(" Results - Epoch: ") != std::string_view::npos) {
      iterations_.end_epoch();
    }
    return KeptLine(line);
  }

  /// Nothing is open before the first iteration.
  bool tells_alone(const KeptLine& /*line*/) const override { return !iterations_.begun(); }

  bool decide(const std::vector<KeptLine>& waiting, bool at_end) override {
    const bool by_now = at_end || waiting.size() >= most_waiting();
    unclear_ = by_now && iterations_.of_run() && !iterations_.known() && depth_ == 0;
    return iterations_.known() || by_now;
  }

  std::size_t most_waiting() const override { return 4096; }

  std::optional<Reading> interpret(const KeptLine& line, Readings& before) override {
    if (unclear_) {
      return Reading{.evidence = 1, .conflict = "how many iterations an epoch has is not known"};
    }
    at_s_ = line.at_s;
    static const RegularExpression form(
        R"(^.{0,63}?(?:Engine run (?<run>resuming|starting|complete|finished)(?: with max_epochs=(?<max>\d{1,15}))?)"
        R"((?:.*, epoch (?<done>\d{1,15}) until (?<until>\d{1,15}))?|Epoch (?<over>[1-9]\d{0,14}) done\.|Epoch\[(?<epoch>[1-9]\d{0,14})\] (?<rest>.*)|(?<name>\w+) Results - Epoch: *(?<of>[1-9]\d{0,14})\b(?<results>.*)))");
    const auto match = form.find(line.text);
    if (!match) {
      return std::nullopt;
    }
    if (const auto epoch = count_in(*match, "epoch")) {
      return of_epoch(*epoch - 1, match->text("rest"), before);
    }
    if (const auto epoch = count_in(*match, "over")) {
      ended_ = *epoch - 1;
      return Reading{.epoch = ended_, .ends_epoch = true};
    }
    if (const auto epoch = count_in(*match, "of")) {
      return of_results(*epoch - 1, match->text("name"), match->text("results"));
    }
    const auto run = (*match)["run"];
    if (run == "resuming") {
      return resume(count_in(*match, "done"), count_in(*match, "until"), before);
    }
    return run == "starting" ? start(count_in(*match, "max"), before) : stop();
  }

  /// "Engine run resuming from iteration 770, epoch 22 until 27 epochs"
  std::optional<Reading> resume(std::optional<std::int64_t> done,
                                std::optional<std::int64_t> epochs, Readings& before) {
    if (!done) {
      return std::nullopt;
    }
    if (++depth_ > 1) {  // an evaluator, within the trainer
      begin_next(before);
      return Reading{.phase = Phase::evaluate, .step = 0, .steps = 1};
    }
    epochs_ = epochs;
    return Reading{.epoch = done, .epochs = epochs_, .begins_epoch = true, .evidence = 0.5};
  }

  /// The epoch after one that is complete begins at once; that is told with its first line.
  void begin_next(Readings& before) {
    if (next_) {
      before.push_back({{.epoch = next_, .epochs = epochs_, .begins_epoch = true}, ended_at_s_});
      next_.reset();
    }
  }

  std::optional<Reading> start(std::optional<std::int64_t> epochs, Readings& before) {
    depth_ = epochs > 1 ? 0 : depth_;  // a trainer's, although the one before did not end
    const bool evaluates = ++depth_ > 1 || (epochs_ > 1 && epochs == 1);
    if (evaluates) {
      begin_next(before);
      evaluates_after_ = depth_ == 1;
      return Reading{.phase = Phase::evaluate, .step = 0, .steps = 1};
    }
    epochs_ = epochs;
    return Reading{.epoch = 0, .epochs = epochs_, .begins_epoch = true, .evidence = 0.5};
  }

  std::optional<Reading> stop() {
    depth_ = std::max(0, depth_ - 1);
    if (depth_ == 0 && !std::exchange(evaluates_after_, false)) {
      next_.reset();
      return std::nullopt;
    }
    return Reading{.phase = Phase::evaluate, .step = 1, .steps = 1};
  }

  std::optional<Reading> of_epoch(std::int64_t epoch, std::string_view text, Readings& before) {
    static const RegularExpression form(
        R"(^(?:Complete\. Time taken: (?<duration>\S*)|Iteration\[(?<step>\d{1,15})(?:/(?<steps>\d{1,15}))?\](?<values>.*)))");
    const auto match = form.find(text);
    if (!match || depth_ > 1 || evaluates_after_) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch, .epochs = epochs_};
    if (const auto duration = (*match)["duration"]) {
      reading.duration_s = clock_time_s(*duration);
      reading.ends_epoch = true;
      reading.evidence = 0.5;
      next_ = epoch + 1;
      ended_at_s_ = at_s_;
      return reading;
    }
    begin_next(before);
    if (!iterations_.of_run()) {
      reading.step = count_in(*match, "step");
      reading.steps = count_in(*match, "steps");
    } else if (const auto steps = iterations_.of_epoch()) {
      reading.step = count_in(*match, "step").value_or(0) - epoch * *steps;
      reading.steps = steps;
    }
    reading.metrics = named_values(match->text("values"), false);
    reading.evidence = 0.34;
    return reading;
  }

  /// "Validation Results - Epoch: 1  Avg loss: 0.4": an evaluation is over; where nothing else
  /// tells, so is the epoch.
  std::optional<Reading> of_results(std::int64_t epoch, std::string_view name,
                                    std::string_view values) {
    Reading reading{.epoch = epoch, .epochs = epochs_, .evidence = 0.34};
    for (auto& value : named_values(values, false)) {
      reading.metrics.push_back(
          {.name = std::string(name) + " " + value.name, .value = value.value});
    }
    if (!iterations_.of_epoch() && depth_ == 0 && std::exchange(ended_, epoch) != epoch) {
      reading.ends_epoch = true;
    } else {
      reading.phase = Phase::evaluate;
      reading.step = reading.steps = 1;
    }
    return reading;
  }

  Iterations iterations_;
  bool unclear_ = false;               ///< What the numbers of the iterations count.
  std::optional<std::int64_t> ended_;  ///< By its results.
  std::optional<std::int64_t> next_;   ///< The epoch that begins after one that is complete.
  double ended_at_s_ = 0;
  double at_s_ = 0;
  bool evaluates_after_ = false;  ///< An evaluator runs after the trainer.
  int depth_ = 0;                 ///< Engines that run within each other.
  std::optional<std::int64_t> epochs_;
};

}  // namespace ignite_format

FormatSpec ignite() {
  return {.summary = "Ignite's engines: 'Epoch[1] Complete. Time taken: 00:00:10.123'",
          .hints = {"Engine run ", "Epoch[", " Results - Epoch: "},
          .open = [](const auto&) { return std::make_unique<ignite_format::IgniteParser>(); }};
}

}  // namespace epochcast::progress::formats
