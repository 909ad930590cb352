// tqdm's bars, alone or nested, and the lines that the loop prints between them. A bar that begins
// again is another epoch; a bar whose description says so is an evaluation, and so is one of
// another length than the first. A bar "Epochs: 30%|" counts epochs.
#include <string>

#include "src/core/text.hpp"
#include "src/progress/bar.hpp"
#include "src/progress/format.hpp"
#include "src/progress/plain_line.hpp"

namespace epochcast::progress::formats {
namespace {

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override {
    if (const auto bar = parse_bar(line.text)) {
      return of_bar(*bar);
    }
    auto reading = bars_ ? plain_.read(line.text) : std::nullopt;
    if (reading) {
      reading->evidence = std::clamp(reading->evidence, 0.0, 0.2);
    }
    return reading;
  }

 private:
  std::optional<Reading> of_bar(const Bar& bar) {
    if (bar.total && (bar.done > *bar.total || *bar.total == 0)) {
      return std::nullopt;
    }
    bars_ = true;
    auto description = bar.description;
    const auto number = take_epoch(description);
    if (!number && counts_epochs(bar)) {
      return of_epochs(bar);
    }
    Reading reading{.step = bar.done, .steps = bar.total, .elapsed_s = bar.elapsed_s};
    reading.running = true;
    for (const auto text : {bar.postfix, bar.description}) {
      for (auto& value : named_values(text, false)) {
        if (to_lower(value.name).find("epoch") == std::string::npos) {
          reading.metrics.push_back(std::move(value));
        }
      }
    }
    const bool evaluates = of_evaluation(bar.description) || (!number && other_length(bar));
    if (evaluates) {
      reading.phase = Phase::evaluate;
      reading.running = false;
      if (bar.total != bar.done) {
        reading.metrics.clear();  // the last ones count
      }
      return reading;
    }
    if (number) {
      if (const auto epoch = count_.from_zero(number->number, number->total.has_value())) {
        reading.evidence = 0.34;
        reading.begins_epoch = bar.done == 0 && epoch_ != epoch;
        epoch_ = epoch;
        reading.epoch = epoch_;
        if (number->total) {
          reading.epochs = count_.total(*number->total);
        }
      }
    } else {
      const bool again = last_ && bar.done < last_->done;
      const bool first = !last_;
      if (!outer_) {
        epoch_ = first ? 0 : *epoch_ + (again ? 1 : 0);
      }
      reading.evidence = again ? 1 : 0;
      reading.begins_epoch = bar.done == 0 && (first || again);
      reading.epoch = epoch_;
      if (outer_) {
        reading.epochs = outer_;
      }
    }
    last_ = Last{.done = bar.done, .total = bar.total};
    return reading;
  }

  static bool counts_epochs(const Bar& bar) {
    return bar.total && to_lower(bar.description).find("epoch") != std::string::npos;
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
    Reading reading{.epoch = epoch_, .epochs = outer_};
    reading.begins_epoch = !over;
    reading.ends_epoch = over;
    reading.ends_run = over;
    reading.evidence = before >= 0 ? 0.5 : 0;
    return reading;
  }

  /// The first length seen is that of the training.
  bool other_length(const Bar& bar) const { return last_ && bar.total != last_->total; }

  struct Last {
    std::int64_t done = 0;
    std::optional<std::int64_t> total;
  };
  EpochCount count_;
  PlainReader plain_;
  std::optional<Last> last_;
  std::optional<std::int64_t> epoch_;
  std::optional<std::int64_t> outer_;
  std::int64_t outer_done_ = 0;
  bool bars_ = false;
};

}  // namespace

FormatSpec tqdm() {
  return {.summary = "tqdm's bars, and a loop's own prints between them",
          .hints = {"%|", "/s]", "/s, ", "s/it", "poch", "POCH"},
          .general = true,
          .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
