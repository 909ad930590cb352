// The bars of two scripts that many copied.
// pytorch-cifar's progress_bar (kuangliu), below "Epoch: 0":
//   [====>]  Step: 125ms | Tot: 49s217ms | Loss: 2.3 | Acc: 37.4% (18735/50000) 391/391
// pytorch-classification's (bearpaw), below "Epoch: [1 | 164] LR: 0.1":
//   Processing |######| (391/391) Data: 0.002s | Total: 0:02:06 | ETA: 0:00:01 | Loss: 2.18
//   Testing    |######| (100/100) Data: 0.003s | Total: 0:00:36 | ETA: 0:00:01 | Loss: 2.31
// The first bar of an epoch is the training's, the second the test's.
#include "src/base/core/regular_expression.hpp"
#include "src/measure/progress/lines/values.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress::formats {
namespace cifar_bars_format {

class CifarBarsParser final : public SingleLineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override {
    static const RegularExpression heading(
        R"(^\s*Epoch: (?:\[(?<epoch>\d+) \| (?<epochs>\d+)\].*|(?<zero>\d+)\s*)$)");
    static const RegularExpression bar(
        R"((?J)^\s*\[=*>\.*\]\s+Step: \S+ \| Tot: (?<total>\S+)(?: \| (?<values>.*?))?\s+(?<step>\d+)/(?<steps>\d+)\s*$)"
        R"(|^\s*(?<word>[A-Z]\w+ing)\s+\|[# ]*\| \((?<step>\d+)/(?<steps>\d+)\).*? Total: (?<total>\S+)(?: \| ETA: \S+)?(?: \| (?<values>.*))?)");
    if (const auto match = heading.find(line.text)) {
      const auto zero = count_in(*match, "zero");
      const auto epoch = count_in(*match, "epoch");
      epoch_ = zero ? zero : epoch ? std::optional(*epoch - 1) : std::nullopt;
      bars_ = last_step_ = 0;
      return epoch_ && *epoch_ >= 0
                 ? std::optional(Reading{
                       .epoch = epoch_, .epochs = count_in(*match, "epochs"), .begins_epoch = true})
                 : std::nullopt;
    }
    const auto match = epoch_ ? bar.find(line.text) : std::nullopt;
    const auto step = match ? count_in(*match, "step") : std::nullopt;
    if (!step) {
      return std::nullopt;
    }
    const auto steps = count_in(*match, "steps");
    const auto elapsed_s = seconds_in(*match, "total");
    const std::string values(match->text("values"));
    const bool again = *step < last_step_ || steps != steps_ || elapsed_s < elapsed_s_ ||
                       (*step == last_step_ && values != values_);
    bars_ += last_step_ == 0 || again ? 1 : 0;
    elapsed_s_ = elapsed_s;
    values_ = values;
    last_step_ = *step;
    steps_ = steps;
    Reading reading{.epoch = epoch_,
                    .step = step,
                    .steps = steps,
                    .elapsed_s = elapsed_s,
                    .metrics = named_values(values, false),
                    .running = true,
                    .evidence = 0.5};
    if (bars_ > 1 || of_evaluation(match->text("word"))) {
      reading.phase = Phase::evaluate;
      reading.epoch.reset();
    }
    return reading;
  }

 private:
  std::optional<std::int64_t> epoch_, steps_;
  std::optional<double> elapsed_s_;
  std::string values_;
  std::int64_t bars_ = 0, last_step_ = 0;
};

}  // namespace cifar_bars_format

FormatSpec cifar_bars() {
  return {
      .summary = "bars of pytorch-cifar and pytorch-classification: 'Tot: 49s217ms | Loss: 2.3'",
      .hints = {"Epoch: ", " Tot: ", " Total: "},
      .open = [](const auto&) { return std::make_unique<cifar_bars_format::CifarBarsParser>(); }};
}

}  // namespace epochcast::progress::formats
