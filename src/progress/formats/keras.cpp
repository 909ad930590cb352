// Keras' fit(): "Epoch 1/3", then a bar that is drawn again ("6/6 ━━━ 0s 5ms/step - loss: 4.1"),
// before Keras 3 with "[====>...]"; with verbose=2 one line an epoch ("6/6 - 0s - 5ms/step - loss:
// 4.1"). evaluate() and predict() draw the same bar without an epoch above it, and so does fit()
// for one epoch, which programs call in a loop: only its values of the validation tell it from
// them.
#include <algorithm>

#include "src/progress/format.hpp"
#include "src/progress/words.hpp"

namespace epochcast::progress::formats {
namespace {

/// Behind "6/6 ": "━━━━ 0s 5ms/step", "[=====>....] - 0s 5ms/step", "- 0s - 5ms/step".
/// The place behind it; 0 if there is none.
std::size_t end_of_times(std::string_view text) {
  const bool drawn = text.starts_with("━") || text.starts_with("[") || text.starts_with("- ");
  if (!drawn) {
    return 0;
  }
  const auto metrics = text.find(" - ", text.starts_with("- ") || text.starts_with("[") ? 2 : 0);
  const auto rate = text.find("s/step");
  if (rate != std::string_view::npos) {
    return rate + 6;
  }
  const auto remaining = text.find("ETA: ");
  const auto found = remaining != std::string_view::npos ? remaining : metrics;
  return found == std::string_view::npos ? 0 : found;
}

/// The seconds of "5ms", "1s" or "250us" in front of "/step".
std::optional<double> step_s(std::string_view text) {
  const auto slash = text.find("s/step");
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
/// seconds, so that of a short epoch comes from the time a step.
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
    return whole_s < coarse_s && one_s ? *one_s * static_cast<double>(steps) : whole_s;
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
    const auto steps = epoch_ || !has_headings_ ? fraction(scanner) : std::nullopt;
    if (!steps || !steps->total || !scanner.skip(" ")) {
      return std::nullopt;
    }
    return epoch_ ? bar(*steps, scanner.rest()) : end_of_single_epoch(*steps, scanner.rest());
  }

 private:
  std::optional<Reading> begin(Scanner& scanner) {
    const auto count = fraction(scanner);
    if (!count || !count->total || count->number < 1 || !scanner.at_end()) {
      return std::nullopt;
    }
    has_headings_ = true;
    epoch_ = count->number - 1;
    return Reading{.epoch = epoch_, .epochs = count->total, .begins_epoch = true};
  }

  std::optional<Reading> bar(const Fraction& steps, std::string_view text) {
    const auto times = end_of_times(text);
    if (times == 0 || steps.number > *steps.total) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch_,
                    .step = steps.number,
                    .steps = steps.total,
                    .metrics = named_values(text.substr(times), false),
                    .running = true,
                    .evidence = 0.4};
    if (steps.number == *steps.total) {
      reading.duration_s = stated_s(text, steps.number);
    }
    reading.ends_epoch = has_validation(reading) || text.starts_with("- ");
    if (reading.ends_epoch) {
      epoch_.reset();
    }
    return reading;
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
  bool has_headings_ = false;
  std::int64_t single_epochs_ = 0;
};

}  // namespace

FormatSpec keras() {
  return {.summary = "Keras' fit(), with verbose=1 or 2",
          .hints = {"Epoch ", "━━", "s/step", "ETA: "},
          .general = false,
          .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
