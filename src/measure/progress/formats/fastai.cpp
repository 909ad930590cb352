// fastai's table: "epoch     train_loss  valid_loss  accuracy  time", a row an epoch, and between
// them fastprogress' bar "Epoch 1/3 : |███-----| 37.50% [3/8 00:00<00:00 5.3177]", first of the
// training, then of the validation.
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/format.hpp"
#include "src/measure/progress/reading/table.hpp"

namespace epochcast::progress::formats {
namespace fastai_format {

class FastaiParser final : public SingleLineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override {
    if (trim(line.text).starts_with("epoch")) {  // no bar is split into columns
      if (auto header = Table::of_header(line.text); header && header->is_fastai()) {
        table_ = std::move(header);
        epoch_ = 0;
        count_ = {};  // copies of fastai's table count from 1
        return Reading{.epoch = 0, .begins_epoch = true, .evidence = 0.5};
      }
    }
    if (line.text.starts_with("Epoch ")) {
      return bar(line.text);
    }
    return table_ ? row(line.text) : std::nullopt;
  }
  bool wants_every_line() const override { return table_.has_value(); }

 private:
  std::optional<Reading> row(std::string_view text) {
    auto reading = table_->row(text);
    if (!reading || !reading->duration_s) {
      return std::nullopt;
    }
    reading->epoch = count_.from_zero(*reading->epoch, false);
    if (!reading->epoch) {
      return std::nullopt;
    }
    reading->epochs = epochs_;
    evaluates_ = false;
    done_ = 0;
    return reading;
  }

  /// "Epoch 1/3 : |███-----| 37.50% [3/8 00:00<00:00 5.3177]"
  std::optional<Reading> bar(std::string_view text) {
    static const RegularExpression form(
        R"(^Epoch (?<epoch>[1-9]\d{0,14})/(?<epochs>\d{1,15}) : \|.*% \[(?<step>\d{1,15})/(?<steps>\d{1,15}))");
    const auto match = form.find(text);
    const auto step = match ? count_in(*match, "step") : std::nullopt;
    const auto steps = match ? count_in(*match, "steps") : std::nullopt;
    if (!step || !steps || *step > *steps) {
      return std::nullopt;
    }
    const auto epoch = count_in(*match, "epoch").value_or(1) - 1;
    const bool same = epoch_ == epoch;
    evaluates_ = same && (evaluates_ || *step < done_);
    done_ = *step;
    epoch_ = epoch;
    epochs_ = count_in(*match, "epochs");
    Reading reading{.phase = evaluates_ ? Phase::evaluate : Phase::train,
                    .epoch = epoch_,
                    .epochs = epochs_,
                    .step = step,
                    .steps = steps};
    reading.begins_epoch = !same && !evaluates_ && *step == 0;
    reading.evidence = 0.34;
    return reading;
  }

  std::optional<Table> table_;
  std::optional<std::int64_t> epoch_;
  std::optional<std::int64_t> epochs_;
  EpochCount count_;  ///< Of the table.
  std::int64_t done_ = 0;
  bool evaluates_ = false;
};

}  // namespace fastai_format

FormatSpec fastai() {
  return {.summary = "fastai's table of epochs, and its bar",
          .hints = {"poch"},
          .open = [](const auto&) { return std::make_unique<fastai_format::FastaiParser>(); }};
}

}  // namespace epochcast::progress::formats
