// YOLOv5, v7, v8 and ultralytics: a bar an epoch, with its number in front, then that of the
// validation:
//   Starting training for 100 epochs...
//       1/100      2.1G      1.21  ...   640: 100%|██████████| 20/20 [00:10<00:00,  2.0it/s]
//                Class     Images  Instances      Box(P ...: 100%|██████████| 5/5
//                [00:02<00:00,  2.1it/s]
// Newer ones draw a bar of their own: "640: 100% ━━━━━━━━━━━━ 20/20 2.0it/s 10.0s".
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/bar.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress::formats {
namespace yolo_format {

/// "640: 100% ━━━━━━━━━━━━ 20/20 2.0it/s 10.0s", "...: 35% ━━━━──────── 7/20 2.0it/s 3.5s<6.5s"; at
/// step 0 it has no rate.
std::optional<Bar> own_bar(std::string_view text) {
  static const RegularExpression form(
      R"(^(?<description>.*?)\d*% +[━─][^0-9]*(?<done>\d{1,15})/(?<total>\d{1,15}) *(?:[^ /]*/\S* +)?(?<elapsed>\d[^<]*)?)");
  const auto match = form.find(text);
  if (!match) {
    return std::nullopt;
  }
  return Bar{.description = trim(match->text("description")),
             .done = count_in(*match, "done").value_or(0),
             .total = count_in(*match, "total"),
             .elapsed_s = seconds_in(*match, "elapsed").value_or(0)};
}

class YoloParser final : public SingleLineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override {
    static const RegularExpression start(R"(^.{0,63}?Starting training for (?<epochs>\d{1,15}))");
    if (const auto match = start.find(line.text)) {
      epochs_ = count_in(*match, "epochs");
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
    static const RegularExpression form(
        R"(^(?<epoch>\d{1,15})/(?<epochs>\d{1,15}) +\d\S*[GM](?: |$))");
    const auto match = form.find(description);
    if (!match) {
      return std::nullopt;
    }
    const auto number = count_in(*match, "epoch").value_or(0);
    const auto total = count_in(*match, "epochs").value_or(0);
    if (!first_) {
      first_ = number == 0 || (epochs_ && total == *epochs_ - 1) ? 0 : 1;
    }
    if (number < *first_) {
      return std::nullopt;
    }
    const auto epoch = number - *first_;
    Reading reading{.epoch = epoch,
                    .epochs = total + (*first_ == 0 ? 1 : 0),
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

}  // namespace yolo_format

FormatSpec yolo() {
  return {
      .summary = "YOLOv5 to v8 and ultralytics: a bar an epoch, '1/100  2.1G  1.21 ...'",
      .hints = {"%|", "% \u2501", "% \u2500", "Starting training for ", " epochs completed in "},
      .open = [](const auto&) { return std::make_unique<yolo_format::YoloParser>(); }};
}

}  // namespace epochcast::progress::formats
