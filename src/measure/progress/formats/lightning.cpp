// PyTorch Lightning: tqdm's bars "Epoch 0:  50%|...| 5/10 [..., v_num=0, loss=0.5]" and "Validation
// DataLoader 0: ...", or rich's "Epoch 0/2 ━━━ 5/5 0:00:00 • 0:00:00 341.80it/s v_num: 0 loss:
// 0.5".
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/values.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/bar.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress::formats {
namespace lightning_format {

struct Drawn {
  std::string_view name;  ///< "Epoch 0", "Epoch 0/2", "Validation DataLoader 0".
  std::int64_t done = 0;
  std::optional<std::int64_t> total;
  std::string_view values;
  std::optional<double> elapsed_s;
  bool rich = false;
};

/// "Epoch 0/2  ━━━━╸━━━ 4/5 0:00:00 • 0:00:01 404.35it/s v_num: 2.000 train_loss: 5.110"
std::optional<Drawn> parse_rich(std::string_view text) {
  static const RegularExpression form(
      R"(^(?<name>[^━]*)━[^\d•]*(?<done>\d{1,15})(?:/(?<total>\d{1,15}))? +(?<elapsed>[\d:]+)?.*?•.*?it/s(?<values>.*))");
  const auto match = form.find(text);
  if (!match) {
    return std::nullopt;
  }
  return Drawn{.name = trim(match->text("name")),
               .done = count_in(*match, "done").value_or(0),
               .total = count_in(*match, "total"),
               .values = match->text("values"),
               .elapsed_s = seconds_in(*match, "elapsed"),
               .rich = true};
}

std::optional<Drawn> parse(std::string_view text) {
  if (const auto bar = parse_bar(text)) {
    return Drawn{.name = bar->description,
                 .done = bar->done,
                 .total = bar->total,
                 .values = bar->postfix,
                 .elapsed_s = bar->elapsed_s,
                 .rich = false};
  }
  return parse_rich(text);
}

class LightningParser final : public SingleLineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override {
    const auto drawn = parse(line.text);
    if (!drawn) {
      return more_values(line.text);
    }
    if (drawn->name.starts_with("Validation") || drawn->name.starts_with("Sanity Checking")) {
      return of_evaluation_bar(*drawn);
    }
    return of_epoch(*drawn);
  }

  /// Rich goes on in the lines below its bar.
  bool wants_every_line() const override { return rich_; }

 private:
  std::optional<Reading> of_evaluation_bar(const Drawn& drawn) {
    const bool mark = drawn.name.starts_with("Sanity Checking") ||
                      drawn.name.starts_with("Validation DataLoader") ||
                      (rich_ && drawn.name == "Validation");
    if (!mark) {
      return std::nullopt;
    }
    seen_ = true;
    if (drawn.name.starts_with("Sanity")) {
      return std::nullopt;  // before the first epoch: part of the start-up
    }
    Reading reading{.phase = Phase::evaluate,
                    .step = drawn.done,
                    .steps = drawn.total,
                    .elapsed_s = drawn.elapsed_s};
    reading.evidence = 0.2;
    return reading;
  }

  std::optional<Reading> of_epoch(const Drawn& drawn) {
    static const RegularExpression form(R"(^Epoch (?<epoch>\d{1,15})(?:/(?<last>\d{1,15}))?\s*$)");
    const auto match = form.find(drawn.name);
    if (!match || (drawn.total && drawn.done > *drawn.total)) {
      return std::nullopt;
    }
    const auto last = count_in(*match, "last");
    if (drawn.rich != last.has_value()) {
      return std::nullopt;  // rich's bars have the number of the last epoch, tqdm's have none
    }
    rich_ = drawn.rich;
    Reading reading{.epoch = count_in(*match, "epoch"),
                    .step = drawn.done,
                    .steps = drawn.total,
                    .elapsed_s = drawn.elapsed_s};
    if (last) {
      reading.epochs = *last + 1;
    }
    reading.metrics = named_values(drawn.values, false);
    const bool version =
        std::erase_if(reading.metrics, [](const auto& value) { return value.name == "v_num"; }) > 0;
    seen_ = seen_ || version || last;
    if (!seen_) {
      return std::nullopt;  // it may be anybody's bar
    }
    const bool over = epoch_ == reading.epoch && drawn.done < step_;
    if (over) {
      return std::nullopt;  // the bar is made ready for the next epoch, under the old name
    }
    reading.begins_epoch = drawn.done == 0 && (!epoch_ || *reading.epoch < *epoch_);
    reading.running = true;
    reading.evidence = version || last ? 0.34 : 0.2;
    if (drawn.done == 0 && epoch_ && *reading.epoch > *epoch_) {
      reading.epoch = epoch_;  // the values are still those of the epoch before
      reading.step = reading.steps;
      reading.elapsed_s.reset();
      return reading;
    }
    epoch_ = reading.epoch;
    step_ = drawn.done;
    return reading;
  }

  std::optional<Reading> more_values(std::string_view text) const {
    if (!rich_ || !text.starts_with("   ")) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch_, .metrics = named_values(text, false), .running = true};
    return reading.metrics.size() == 1 ? std::optional(reading) : std::nullopt;
  }

  bool seen_ = false;  ///< Something that only Lightning prints.
  bool rich_ = false;
  std::optional<std::int64_t> epoch_;
  std::int64_t step_ = 0;
};

}  // namespace lightning_format

FormatSpec lightning() {
  return {
      .summary = "PyTorch Lightning's bars, tqdm's or rich's",
      .hints = {"poch", "%|", "Validation", "Sanity Checking"},
      .open = [](const auto&) { return std::make_unique<lightning_format::LightningParser>(); }};
}

}  // namespace epochcast::progress::formats
