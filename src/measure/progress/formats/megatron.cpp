// Megatron-LM's lines (megatron/training/training.py, training_log), and NeMo's of the same kind
// (ProgressPrinter). Megatron has no epochs: its run counts as one.
//   iteration       10/     100 | consumed samples:   80 | elapsed time per iteration (ms): 312.5 |
//   learning rate: 1.5E-04 | global batch size:     8 | lm loss: 1.0E+01 | ...
//   validation loss at iteration 10 | lm loss value: 9.5E+00 | lm loss PPL: 1.3E+04 |
//   Training epoch 0, iteration 3/99 | lr: 1.2e-06 | global_batch_size: 8 |
//   reduced_train_loss: 10.9
#include <algorithm>

#include "src/base/core/text.hpp"
#include "src/measure/progress/format.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress::formats {
namespace {

/// "lm loss: 1.0E+01 | grad norm: 1.2 |": names with spaces, which become "_".
std::vector<NamedValue> cells(std::string_view text) {
  std::vector<NamedValue> found;
  for (const auto& cell : split(text, '|')) {
    const auto colon = cell.rfind(':');
    const auto value =
        colon == std::string::npos ? std::nullopt : parse_double(trim(cell.substr(colon + 1)));
    if (value) {
      auto name = std::string(trim(std::string_view(cell).substr(0, colon)));
      std::replace(name.begin(), name.end(), ' ', '_');
      found.push_back({.name = name, .value = *value});
    }
  }
  return found;
}

std::optional<double> take(std::vector<NamedValue>& values, std::string_view name) {
  const auto found = std::ranges::find(values, name, &NamedValue::name);
  if (found == values.end()) {
    return std::nullopt;
  }
  const auto value = found->value;
  values.erase(found);
  return value;
}

/// Moves the size of the batch from the metrics to where it belongs.
void take_samples(Reading& reading) {
  if (const auto samples = take(reading.metrics, "global_batch_size");
      samples && *samples >= 0 && *samples < 1e12) {
    reading.samples = static_cast<std::int64_t>(*samples);
  }
}

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override {
    if (const auto at = line.text.find("validation loss at iteration ");
        at != std::string_view::npos) {
      return validation(line.text.substr(at));
    }
    if (const auto at = line.text.find("Training epoch "); at != std::string_view::npos) {
      Scanner scanner(line.text.substr(at + 15));
      return nemo(scanner);
    }
    const auto at = line.text.find("iteration ");
    if (at == std::string_view::npos ||
        line.text.find("| consumed samples:") == std::string_view::npos) {
      return std::nullopt;
    }
    Scanner scanner(line.text.substr(at + 10));
    return megatron(scanner);
  }

 private:
  static std::optional<Reading> megatron(Scanner& scanner) {
    scanner.skip_blanks();
    const auto steps = fraction(scanner);
    if (!steps || !steps->total || steps->number > *steps->total || !scanner.skip(" |")) {
      return std::nullopt;
    }
    Reading reading{.epoch = 0,
                    .epochs = 1,
                    .step = steps->number,
                    .steps = steps->total,
                    .metrics = cells(scanner.rest())};
    if (const auto step_ms = take(reading.metrics, "elapsed_time_per_iteration_(ms)")) {
      reading.step_s = *step_ms / 1000;
    }
    take(reading.metrics, "consumed_samples");
    take_samples(reading);
    reading.evidence = 0.5;
    return reading;
  }

  static std::optional<Reading> validation(std::string_view text) {
    const auto bar = text.find('|');
    if (bar == std::string_view::npos) {
      return std::nullopt;
    }
    Reading reading{.phase = Phase::evaluate, .step = 1, .steps = 1};
    for (auto& value : cells(text.substr(bar + 1))) {
      value.name = "val_" + value.name;
      reading.metrics.push_back(std::move(value));
    }
    return reading;
  }

  static std::optional<Reading> nemo(Scanner& scanner) {
    const auto epoch = whole(scanner);
    const bool comma = scanner.skip(", iteration ");
    const auto steps = fraction(scanner);
    if (!epoch || !comma || !steps || !steps->total || steps->number > *steps->total ||
        !scanner.skip(" |")) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch,
                    .step = steps->number + 1,
                    .steps = *steps->total + 1,
                    .metrics = cells(scanner.rest())};
    reading.step_s = take(reading.metrics, "train_step_timing_in_s");
    take(reading.metrics, "global_step");
    take(reading.metrics, "consumed_samples");
    take_samples(reading);
    reading.evidence = 0.5;
    return reading;
  }
};

}  // namespace

FormatSpec megatron() {
  return {.summary = "Megatron-LM's and NeMo's lines: iteration 10/100 | consumed samples: ...",
          .hints = {"| consumed samples", "lm loss value", "Training epoch "},
          .general = false,
          .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
