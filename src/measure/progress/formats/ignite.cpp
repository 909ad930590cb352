// PyTorch Ignite's engines. Those that run within the trainer's are evaluations:
//   Engine run starting with max_epochs=4.
//   Epoch[1] Complete. Time taken: 00:00:10.123
//   Engine run complete. Time taken: 00:00:40.500  (0.5: Engine run finished.)
// and, as its examples print, "Epoch[1] Iteration[10/100] Loss: 0.5".
#include <algorithm>
#include <utility>
#include <vector>

#include "src/measure/progress/format.hpp"
#include "src/measure/progress/values.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress::formats {
namespace ignite_format {

class IgniteParser final : public LineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override {
    at_s_ = line.at_s;
    static const RegularExpression form(
        R"(^.{0,63}?(?:Engine run (?<run>resuming|starting|complete|finished)(?: with max_epochs=(?<max>\d{1,15}))?)"
        R"((?:.*, epoch (?<done>\d{1,15}) until (?<until>\d{1,15}))?|Epoch\[(?<epoch>[1-9]\d{0,14})\] (?<rest>.*)))");
    const auto match = form.find(line.text);
    if (!match) {
      return std::nullopt;
    }
    if (const auto epoch = count_in(*match, "epoch")) {
      return of_epoch(*epoch - 1, match->text("rest"));
    }
    const auto run = (*match)["run"];
    if (run == "resuming") {
      return resume(count_in(*match, "done"), count_in(*match, "until"));
    }
    return run == "starting" ? start(count_in(*match, "max")) : stop();
  }

  std::vector<TimedReading> waiting() override { return std::exchange(waiting_, {}); }

 private:
  /// "Engine run resuming from iteration 770, epoch 22 until 27 epochs"
  std::optional<Reading> resume(std::optional<std::int64_t> done,
                                std::optional<std::int64_t> epochs) {
    if (!done) {
      return std::nullopt;
    }
    epochs_ = epochs;
    ++depth_;
    return Reading{.epoch = done, .epochs = epochs_, .begins_epoch = true, .evidence = 0.5};
  }

  /// The epoch after one that is complete begins at once; that is told with its first line.
  void begin_next() {
    if (next_) {
      waiting_.push_back({{.epoch = next_, .epochs = epochs_, .begins_epoch = true}, ended_at_s_});
      next_.reset();
    }
  }

  std::optional<Reading> start(std::optional<std::int64_t> epochs) {
    depth_ = epochs > 1 ? 0 : depth_;  // a trainer's, although the one before did not end
    const bool evaluates = ++depth_ > 1 || (epochs_ > 1 && epochs == 1);
    if (evaluates) {
      begin_next();
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

  std::optional<Reading> of_epoch(std::int64_t epoch, std::string_view text) {
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
    begin_next();
    reading.step = count_in(*match, "step");
    reading.steps = count_in(*match, "steps");
    reading.metrics = named_values(match->text("values"), false);
    reading.evidence = 0.34;
    return reading;
  }

  std::vector<TimedReading> waiting_;
  std::optional<std::int64_t> next_;  ///< The epoch that begins after one that is complete.
  double ended_at_s_ = 0;
  double at_s_ = 0;
  bool evaluates_after_ = false;  ///< An evaluator runs after the trainer.
  int depth_ = 0;                 ///< Engines that run within each other.
  std::optional<std::int64_t> epochs_;
};

}  // namespace ignite_format

FormatSpec ignite() {
  return {.summary = "Ignite's engines: 'Epoch[1] Complete. Time taken: 00:00:10.123'",
          .hints = {"Engine run ", "Epoch["},
          .open = [](const auto&) { return std::make_unique<ignite_format::IgniteParser>(); }};
}

}  // namespace epochcast::progress::formats
