// Keras' fit(): "Epoch 1/3", then a bar that is drawn again ("6/6 ━━━ 0s 5ms/step - loss: 4.1"),
// before Keras 3 with "[====>...]"; with verbose=2 one line an epoch ("6/6 - 0s - 5ms/step - loss:
// 4.1"). evaluate() and predict() draw the same bar without an epoch above it, and so does fit()
// for one epoch, which programs call in a loop: only its values of the validation tell it from
// them.
#include <algorithm>
#include <utility>

#include "src/measure/progress/lines/values.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress::formats {
namespace keras_format {

/// "6/6 ━━━━ 0s 5ms/step - loss: 4.1", "6/6 [=====>....] - ETA: 0s - loss: 4.1", "6/6 - 0s -
/// 5ms/step - loss: 4.1": the values stand after the time a step, if that comes before all names;
/// in "6/6 - 0s - loss: 4.1 - 30ms/epoch - 5ms/step" (TensorFlow 2.6 to 2.15) it comes last.
const RegularExpression& bar_form() {
  static const RegularExpression form(
      R"(^ *(?<step>\d+)/(?<steps>\d+) (?<rest>(?:━|\[|- )(?:[^:]*?s/(?:step|sample|epoch)|.*?(?=ETA: )|.+?(?= - ))(?<values>.*))$)");
  return form;
}

/// The duration of "━━ 12s 5ms/step" or "- 12s - 5ms/step" after `steps` steps. Keras prints whole
/// seconds, so that of a short epoch comes from the time a step, which is rounded as well.
std::optional<double> stated_s(std::string_view text, std::int64_t steps) {
  static const RegularExpression form(
      R"(^(?:(?! \d).)* (?<whole_s>\d{1,15})s(?= )(?:.*? (?<step>\d{1,15})(?<unit>[mu]?)s/(?:step|sample))?)");
  constexpr double coarse_s = 10;
  const auto match = form.find(text);
  if (!match) {
    return std::nullopt;
  }
  const auto unit = match->text("unit");
  const double step_s =
      static_cast<double>(count_in(*match, "step").value_or(0)) * (unit == "m"   ? 1e-3
                                                                   : unit == "u" ? 1e-6
                                                                                 : 1);
  const double whole_s = static_cast<double>(count_in(*match, "whole_s").value_or(0));
  const double by_steps_s = step_s * static_cast<double>(steps);
  if (whole_s == 0 && by_steps_s > coarse_s) {
    return std::nullopt;  // what remains, not what it took
  }
  const bool finer = (*match)["step"] && step_s < 1;  // else "2s/step", in whole seconds too
  return whole_s < coarse_s && finer ? std::clamp(by_steps_s, whole_s - 0.5, whole_s + 1) : whole_s;
}

struct Bar {
  std::int64_t step = 0, steps = 0;
  std::string_view text;    ///< After the steps.
  std::string_view values;  ///< At its end.
};

class KerasParser final : public LineParser {
 public:
  void read(const Line& line, Readings& found) override {
    if (auto reading = parse_line(line, found)) {
      found.push_back({std::move(*reading), line.at_s, line.since_s});
    }
  }

 private:
  /// Readings of lines before this one go to `before`.
  std::optional<Reading> parse_line(const Line& line, Readings& before) {
    if (line.text.starts_with("Epoch ")) {
      return begin(line.text);
    }
    if (line.text.starts_with("Train on ")) {
      by_samples_ = true;  // before TensorFlow 2.1, bars count samples
      return std::nullopt;
    }
    if (auto reading = epoch_ ? without_bar(line.text) : std::nullopt) {
      return reading;
    }
    const auto match = epoch_ || !has_headings_ ? bar_form().find(line.text) : std::nullopt;
    const auto step = match ? count_in(*match, "step") : std::nullopt;
    const auto steps = match ? count_in(*match, "steps") : std::nullopt;
    if (!step || !steps || *step > *steps) {
      return std::nullopt;
    }
    const Bar bar{.step = *step,
                  .steps = *steps,
                  .text = match->text("rest"),
                  .values = match->text("values")};
    return epoch_ ? of_bar(bar, line, before) : end_of_single_epoch(bar);
  }

  std::optional<Reading> begin(std::string_view text) {
    static const RegularExpression form(
        R"(^Epoch (?<epoch>[1-9]\d{0,14}) ?/ *(?<epochs>\d{1,15})\s*$)");
    const auto match = form.find(text);
    const auto epoch = match ? count_in(*match, "epoch") : std::nullopt;
    if (!epoch) {
      return std::nullopt;
    }
    has_headings_ = true;
    whole_ = false;
    epoch_ = *epoch - 1;
    return Reading{.epoch = epoch_, .epochs = count_in(*match, "epochs"), .begins_epoch = true};
  }

  /// " - 12s - loss: 0.5": verbose=2 before Keras 2.4.
  std::optional<Reading> without_bar(std::string_view text) {
    static const RegularExpression form(R"(^ *(?:- )?(?<seconds>\d{1,15})s - (?<values>.*))");
    const auto match = form.find(text);
    if (!match) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch_,
                    .duration_s = seconds_in(*match, "seconds"),
                    .ends_epoch = true,
                    .metrics = named_values(match->text("values"), false),
                    .evidence = 0.5};
    epoch_.reset();
    return reading;
  }

  std::optional<Reading> of_bar(const Bar& bar, const Line& line, Readings& before) {
    if (whole_ && (bar.steps != total_ || bar.step < bar.steps)) {
      // evaluate() or predict() after the epoch
      Reading reading{.phase = Phase::evaluate, .step = bar.step, .steps = bar.steps};
      reading.duration_s = is_complete(reading) ? stated_s(bar.text, bar.step) : std::nullopt;
      return reading;
    }
    Reading reading{.epoch = epoch_,
                    .metrics = named_values(bar.values, false),
                    .running = true,
                    .evidence = 0.4};
    by_samples_ = by_samples_ || bar.text.find("s/sample") != std::string_view::npos;
    if (by_samples_) {
      reading.part = static_cast<double>(bar.step) / static_cast<double>(bar.steps);
    } else {
      reading.step = bar.step;
      reading.steps = bar.steps;
    }
    const bool was_whole = std::exchange(whole_, bar.step == bar.steps);
    total_ = bar.steps;
    if (whole_) {
      reading.duration_s = stated_s(bar.text, bar.step);
    }
    reading.ends_epoch = has_validation(reading) || bar.text.starts_with("- ");
    if (was_whole && has_validation(reading) && line.at_s > whole_at_s_) {
      return after_validation(reading, line, before);
    }
    whole_at_s_ = line.at_s;
    if (reading.ends_epoch) {
      reading.samples = by_samples_ ? std::optional(bar.steps) : std::nullopt;
      epoch_.reset();
    }
    return reading;
  }

  /// The bar was whole before, so the time since then is that of the validation.
  std::optional<Reading> after_validation(Reading& reading, const Line& line, Readings& before) {
    Reading validation{.phase = Phase::evaluate, .epoch = epoch_, .step = 1, .steps = 1};
    auto& metrics = reading.metrics;
    const auto held_out = std::ranges::stable_partition(
        metrics, [](const auto& metric) { return !metric.name.starts_with("val_"); });
    validation.metrics.assign(held_out.begin(), held_out.end());
    metrics.erase(held_out.begin(), held_out.end());
    reading.ends_epoch = false;
    if (line.timed) {
      reading.duration_s.reset();
    }
    before.push_back({std::move(reading), whole_at_s_});
    epoch_.reset();
    return validation;
  }

  static bool has_validation(const Reading& reading) {
    return std::ranges::any_of(reading.metrics,
                               [](const auto& metric) { return metric.name.starts_with("val_"); });
  }

  /// The last drawing of a fit() for one epoch.
  std::optional<Reading> end_of_single_epoch(const Bar& bar) {
    if (bar.step != bar.steps) {
      return std::nullopt;
    }
    Reading reading{.epoch = single_epochs_,
                    .step = bar.step,
                    .steps = bar.steps,
                    .duration_s = stated_s(bar.text, bar.step),
                    .ends_epoch = true,
                    .metrics = named_values(bar.values, false),
                    .evidence = 0.5};
    if (!has_validation(reading)) {
      return std::nullopt;
    }
    ++single_epochs_;
    return reading;
  }

  std::optional<std::int64_t> epoch_;
  std::optional<std::int64_t> total_;  ///< Of the epoch's bar.
  double whole_at_s_ = 0;
  bool whole_ = false;  ///< It was drawn to its end.
  bool by_samples_ = false;
  bool has_headings_ = false;
  std::int64_t single_epochs_ = 0;
};

}  // namespace keras_format

FormatSpec keras() {
  return {.summary = "Keras' fit(), with verbose=1 or 2",
          .hints = {"Epoch ", "━━", "s/step", "s/sample", "ETA: ", "s - ", "Train on "},
          .open = [](const auto&) { return std::make_unique<keras_format::KerasParser>(); }};
}

}  // namespace epochcast::progress::formats
