// Keras' fit(): "Epoch 1/3", then a bar that is drawn again ("6/6 ━━━ 0s 5ms/step - loss: 4.1"),
// before Keras 3 with "[====>...]"; with verbose=2 one line an epoch ("6/6 - 0s - 5ms/step - loss:
// 4.1"). evaluate() and predict() draw the same bar without an epoch above it, and so does fit()
// for one epoch, which programs call in a loop: only its values of the validation tell it from
// them.
#include <algorithm>
#include <utility>

#include "src/measure/progress/format.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress::formats {
namespace {

/// After "6/6 ": "━━━━ 0s 5ms/step", "[=====>....] - 0s 5ms/step", "- 0s - 5ms/step".
/// The place after it; 0 if there is none.
std::size_t end_of_times(std::string_view text) {
  const bool drawn = text.starts_with("━") || text.starts_with("[") || text.starts_with("- ");
  if (!drawn) {
    return 0;
  }
  const auto metrics = text.find(" - ", text.starts_with("- ") || text.starts_with("[") ? 2 : 0);
  for (const std::string_view unit : {"s/step", "s/sample", "s/epoch"}) {
    if (const auto rate = text.find(unit); rate != std::string_view::npos) {
      return rate + unit.size();
    }
  }
  const auto remaining = text.find("ETA: ");
  const auto found = remaining != std::string_view::npos ? remaining : metrics;
  return found == std::string_view::npos ? 0 : found;
}

/// The seconds of "5ms", "1s" or "250us" in front of "/step".
std::optional<double> step_s(std::string_view text) {
  const auto slash = std::min(text.find("s/step"), text.find("s/sample"));
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  auto number = text.substr(0, slash);
  const double unit = number.ends_with('m') ? 1e-3 : number.ends_with('u') ? 1e-6 : 1;
  number.remove_suffix(unit < 1 ? 1 : 0);
  Scanner scanner(number.substr(number.find_last_of(' ') + 1));
  const auto count = whole(scanner);
  return count && scanner.at_end() ? std::optional(unit * static_cast<double>(*count))
                                   : std::nullopt;
}

/// The duration of "━━ 12s 5ms/step" or "- 12s - 5ms/step" after `steps` steps. Keras prints whole
/// seconds, so that of a short epoch comes from the time a step, which is rounded as well.
std::optional<double> stated_s(std::string_view text, std::int64_t steps) {
  constexpr double coarse_s = 10;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (!is_digit(text[at]) || text[at - 1] != ' ') {
      continue;
    }
    Scanner scanner(text.substr(at));
    const auto seconds = whole(scanner);
    if (!seconds || !scanner.skip("s ")) {
      return std::nullopt;
    }
    const auto whole_s = static_cast<double>(*seconds);
    const auto one_s = step_s(scanner.rest());
    const double by_steps_s = one_s.value_or(0) * static_cast<double>(steps);
    if (*seconds == 0 && by_steps_s > coarse_s) {
      return std::nullopt;  // what remains, not what it took
    }
    const bool finer = one_s && *one_s < 1;  // else "2s/step", in whole seconds too
    return whole_s < coarse_s && finer ? std::clamp(by_steps_s, whole_s - 0.5, whole_s + 1)
                                       : whole_s;
  }
  return std::nullopt;
}

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override {
    Scanner scanner(line.text);
    if (scanner.skip("Epoch ")) {
      return begin(scanner);
    }
    if (scanner.skip("Train on ")) {
      by_samples_ = true;  // before TensorFlow 2.1, bars count samples
      return std::nullopt;
    }
    scanner.skip_blanks();
    if (epoch_) {
      Scanner at = scanner;
      at.skip("- ");
      if (auto reading = without_bar(at)) {
        return reading;
      }
    }
    const auto steps = epoch_ || !has_headings_ ? fraction(scanner) : std::nullopt;
    if (!steps || !steps->total || !scanner.skip(" ")) {
      return std::nullopt;
    }
    return epoch_ ? bar(*steps, scanner.rest(), line) : end_of_single_epoch(*steps, scanner.rest());
  }

  std::vector<TimedReading> waiting() override { return std::exchange(waiting_, {}); }

 private:
  std::optional<Reading> begin(Scanner& scanner) {
    const auto count = fraction(scanner);
    if (!count || !count->total || count->number < 1 || !scanner.at_end()) {
      return std::nullopt;
    }
    has_headings_ = true;
    whole_ = false;
    epoch_ = count->number - 1;
    return Reading{.epoch = epoch_, .epochs = count->total, .begins_epoch = true};
  }

  /// " - 12s - loss: 0.5": verbose=2 before Keras 2.4.
  std::optional<Reading> without_bar(Scanner& scanner) {
    const auto seconds = whole(scanner);
    if (!seconds || !scanner.skip("s - ")) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch_,
                    .duration_s = static_cast<double>(*seconds),
                    .ends_epoch = true,
                    .metrics = named_values(scanner.rest(), false),
                    .evidence = 0.5};
    epoch_.reset();
    return reading;
  }

  std::optional<Reading> bar(const Fraction& steps, std::string_view text, const Line& line) {
    const auto times = end_of_times(text);
    if (times == 0 || steps.number > *steps.total) {
      return std::nullopt;
    }
    if (whole_ && (steps.total != total_ || steps.number < *steps.total)) {
      // evaluate() or predict() after the epoch
      return Reading{.phase = Phase::evaluate, .step = steps.number, .steps = steps.total};
    }
    Reading reading{.epoch = epoch_,
                    .metrics = named_values(text.substr(times), false),
                    .running = true,
                    .evidence = 0.4};
    by_samples_ = by_samples_ || text.find("s/sample") != std::string_view::npos;
    if (by_samples_) {
      reading.part = static_cast<double>(steps.number) / static_cast<double>(*steps.total);
    } else {
      reading.step = steps.number;
      reading.steps = steps.total;
    }
    const bool was_whole = std::exchange(whole_, steps.number == *steps.total);
    total_ = steps.total;
    if (whole_) {
      reading.duration_s = stated_s(text, steps.number);
    }
    reading.ends_epoch = has_validation(reading) || text.starts_with("- ");
    if (was_whole && has_validation(reading) && line.at_s > whole_at_s_) {
      return after_validation(reading, line);
    }
    whole_at_s_ = line.at_s;
    if (reading.ends_epoch) {
      reading.samples = by_samples_ ? steps.total : std::nullopt;
      epoch_.reset();
    }
    return reading;
  }

  /// The bar was whole before, so the time since then is that of the validation.
  std::optional<Reading> after_validation(Reading& reading, const Line& line) {
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
    waiting_.push_back({std::move(reading), whole_at_s_});
    epoch_.reset();
    return validation;
  }

  static bool has_validation(const Reading& reading) {
    return std::ranges::any_of(reading.metrics,
                               [](const auto& metric) { return metric.name.starts_with("val_"); });
  }

  /// The last drawing of a fit() for one epoch.
  std::optional<Reading> end_of_single_epoch(const Fraction& steps, std::string_view text) {
    const auto times = end_of_times(text);
    if (times == 0 || steps.number != *steps.total) {
      return std::nullopt;
    }
    Reading reading{.epoch = single_epochs_,
                    .step = steps.number,
                    .steps = steps.total,
                    .duration_s = stated_s(text, steps.number),
                    .ends_epoch = true,
                    .metrics = named_values(text.substr(times), false),
                    .evidence = 0.5};
    if (!has_validation(reading)) {
      return std::nullopt;
    }
    ++single_epochs_;
    return reading;
  }

  std::optional<std::int64_t> epoch_;
  std::optional<std::int64_t> total_;  ///< Of the epoch's bar.
  std::vector<TimedReading> waiting_;
  double whole_at_s_ = 0;
  bool whole_ = false;  ///< It was drawn to its end.
  bool by_samples_ = false;
  bool has_headings_ = false;
  std::int64_t single_epochs_ = 0;
};

}  // namespace

FormatSpec keras() {
  return {.summary = "Keras' fit(), with verbose=1 or 2",
          .hints = {"Epoch ", "━━", "s/step", "s/sample", "ETA: ", "s - ", "Train on "},
          .general = false,
          .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
