// Marian's lines; `Time` is that of the updates since the line before, `Sen.` counts the sentences
// of the epoch, which ends with those that were seen:
//   Ep. 1 : Up. 1,000 : Sen. 64,000 : Cost 6.01 * 512,345 @ 2,048 after 1,024,000 : Time 119.67s
//   Seen 128,000 samples
#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress::formats {
namespace marian_format {

struct Print {
  std::int64_t epoch = 0, updates = 0, sentences = 0;
  double cost = 0, time_s = 0;
};

std::optional<Print> parse_print(std::string_view text) {
  static const RegularExpression form(
      R"((?:^\s*|\] )Ep\. (?<epoch>\d+) : Up\. (?<updates>[\d,]+) : Sen\. (?<sentences>[\d,]+) : )"
      R"(Cost (?<cost>[-\d.]+).*? : Time (?<time>[\d.]+)s)");
  const auto match = form.find(text);
  const auto count = [&](const char* name) {
    return match ? count_in(*match, name) : std::nullopt;
  };
  const auto epoch = count("epoch"), updates = count("updates"), sentences = count("sentences");
  if (!epoch || *epoch < 1 || !updates || !sentences) {
    return std::nullopt;
  }
  return Print{.epoch = *epoch - 1,
               .updates = *updates,
               .sentences = *sentences,
               .cost = parse_double(match->text("cost")).value_or(0),
               .time_s = parse_double(match->text("time")).value_or(0)};
}

class MarianParser final : public LineParser {
 public:
  void read(const Line& line, Readings& found) override {
    static const RegularExpression seen(R"((?:^\s*|\] )Seen (?<sentences>[\d,]+) samples)");
    if (const auto print = parse_print(line.text)) {
      if (!last_ && print->epoch == 0 && !line.timed) {  // the first time is since the start
        found.push_back({{.epoch = 0, .clock_s = 0, .begins_epoch = true}, line.at_s});
      }
      joined_ = last_ ? joined_ : print->epoch;
      const auto reading = of_print(*print, found);
      if (print->epoch == 0 || print->epoch != joined_) {
        found.push_back({reading, line.at_s, line.since_s});
      }
    } else if (const auto end = last_ ? seen.find(line.text) : std::nullopt) {
      const auto sentences = count_in(*end, "sentences").value_or(0);
      more_ = std::max<std::int64_t>(0, sentences - last_->sentences);
      end_ = TimedReading{{.epoch = last_->epoch, .ends_epoch = true}, line.at_s, line.since_s};
      if (line.timed || more_ == 0) {
        finish(found);
      }
    }
  }

  void finish(Readings& found) override {
    if (end_) {
      end_epoch(last_->time_s * static_cast<double>(more_) / static_cast<double>(interval_), found);
    }
  }

 private:
  /// The time since the print before, if an epoch ended in it, is shared by the sentences.
  Reading of_print(const Print& print, Readings& found) {
    const bool same = last_ && last_->epoch == print.epoch;
    interval_ = std::max<std::int64_t>(1, print.sentences + (same ? -last_->sentences : more_));
    const double before = same ? 0 : static_cast<double>(more_) / static_cast<double>(interval_);
    if (end_) {
      end_epoch(print.time_s * before, found);
    }
    if (last_ && !same) {
      base_ = last_->updates +
              std::llround(before * static_cast<double>(print.updates - last_->updates));
    }
    clock_s_ += print.time_s;
    more_ = 0;
    last_ = print;
    return {.epoch = print.epoch,
            .step = print.updates - base_,
            .clock_s = clock_s_,
            .metrics = {{"cost", print.cost}},
            .evidence = 0.5};
  }

  void end_epoch(double after_s, Readings& found) {
    auto end = *std::exchange(end_, std::nullopt);
    end.reading.clock_s = clock_s_ + after_s;
    if (end.reading.epoch == joined_ && joined_ != 0) {
      end.reading.epoch = *joined_ + 1;
      end.reading.begins_epoch = true;
      end.reading.ends_epoch = false;
    }
    found.push_back(std::move(end));
  }

  std::optional<Print> last_;
  std::optional<std::int64_t> joined_;  ///< The first epoch; not 0: its begin is not in the text.
  double clock_s_ = 0;                  ///< At the last print, by the times that are stated.
  std::int64_t base_ = 0;               ///< Updates before the epoch.
  std::int64_t interval_ = 1;           ///< Sentences between the last two prints.
  std::int64_t more_ = 0;               ///< Sentences of the epoch after its last print.
  std::optional<TimedReading> end_;     ///< Of the epoch, until it is known when that was.
};

}  // namespace marian_format

FormatSpec marian() {
  return {.summary = "Marian: 'Ep. 1 : Up. 1,000 : Sen. 64,000 : Cost 6.01 : Time 119.67s'",
          .hints = {"Ep. ", "Seen "},
          .states_clock = true,
          .open = [](const auto&) { return std::make_unique<marian_format::MarianParser>(); }};
}

}  // namespace epochcast::progress::formats
