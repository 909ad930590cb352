// YOLOv5, v7, v8 and ultralytics: a bar an epoch, with its number in front, then that of the
// validation:
//   Starting training for 100 epochs...
//       1/100      2.1G      1.21  ...   640: 100%|██████████| 20/20 [00:10<00:00,  2.0it/s]
//                Class     Images  Instances      Box(P ...: 100%|██████████| 5/5
//                [00:02<00:00,  2.1it/s]
// Newer ones draw a bar of their own: "640: 100% ━━━━━━━━━━━━ 20/20 2.0it/s 10.0s".
#include "src/base/core/text.hpp"
#include "src/measure/progress/bar.hpp"
#include "src/measure/progress/format.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress::formats {
namespace {

/// "640: 100% ━━━━━━━━━━━━ 20/20 2.0it/s 10.0s", "...: 35% ━━━━──────── 7/20 2.0it/s 3.5s<6.5s".
std::optional<Bar> own_bar(std::string_view text) {
  const auto percent = text.find("% ");
  const auto drawn = text.find("━");
  const auto first = std::min(drawn, text.find("─"));
  if (percent == std::string_view::npos || first == std::string_view::npos || first > percent + 4) {
    return std::nullopt;
  }
  auto begin = percent;
  while (begin > 0 && is_digit(text[begin - 1])) {
    --begin;
  }
  const auto digits = text.find_first_of("0123456789", first);
  if (digits == std::string_view::npos) {
    return std::nullopt;
  }
  Scanner scanner(text.substr(digits));
  const auto count = fraction(scanner);
  if (!count || !count->total) {
    return std::nullopt;
  }
  Bar bar{.description = trim(text.substr(0, begin)), .done = count->number, .total = count->total};
  scanner.skip_blanks();
  Scanner next = scanner;
  if (next.word().find('/') != std::string_view::npos) {  // the rate; there is none at step 0
    scanner = next;
    scanner.skip_blanks();
  }
  const auto elapsed = take_duration(scanner);
  bar.elapsed_s = elapsed ? elapsed->seconds : 0;
  return bar;
}

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override {
    if (const auto at = line.text.find("Starting training for "); at < 64) {
      Scanner scanner(line.text.substr(at + 22));
      epochs_ = whole(scanner);
      done_ = false;
      return std::nullopt;
    }
    if (line.text.find(" epochs completed in ") < 16) {
      done_ = true;  // it validates the best weights once more
      return Reading{.ends_run = true};
    }
    auto bar = parse_bar(line.text);
    bar = bar ? bar : own_bar(line.text);
    if (!bar || !bar->total || bar->done > *bar->total || *bar->total == 0) {
      return std::nullopt;
    }
    const auto description = trim(bar->description);
    if (description.starts_with("Class ") && epoch_ && !done_) {
      return Reading{.phase = Phase::evaluate,
                     .step = bar->done,
                     .steps = bar->total,
                     .elapsed_s = bar->elapsed_s,
                     .evidence = 0.2};
    }
    return train(*bar, description);
  }

 private:
  /// "1/100  2.1G  1.21 ... 640"
  std::optional<Reading> train(const Bar& bar, std::string_view description) {
    Scanner scanner(description);
    const auto count = fraction(scanner);
    scanner.skip_blanks();
    const auto memory = scanner.word();
    const bool is_memory = memory.ends_with('G') || memory.ends_with('M');
    if (!count || !count->total || !is_memory || memory.size() < 2 || !is_digit(memory.front())) {
      return std::nullopt;
    }
    if (!first_) {
      first_ = count->number == 0 || (epochs_ && *count->total == *epochs_ - 1) ? 0 : 1;
    }
    if (count->number < *first_) {
      return std::nullopt;
    }
    const auto epoch = count->number - *first_;
    Reading reading{.epoch = epoch,
                    .epochs = *count->total + (*first_ == 0 ? 1 : 0),
                    .step = bar.done,
                    .steps = bar.total,
                    .elapsed_s = bar.elapsed_s};
    reading.begins_epoch = bar.done == 0 && bar.elapsed_s == 0 && epoch_ != epoch;
    reading.evidence = 0.5;
    epoch_ = epoch;
    return reading;
  }

  std::optional<std::int64_t> epochs_;
  std::optional<std::int64_t> first_;  ///< What it prints for the first epoch.
  std::optional<std::int64_t> epoch_;
  bool done_ = false;
};

}  // namespace

FormatSpec yolo() {
  return {
      .summary = "YOLOv5 to v8 and ultralytics: a bar an epoch, '1/100  2.1G  1.21 ...'",
      .hints = {"%|", "% \u2501", "% \u2500", "Starting training for ", " epochs completed in "},
      .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
