// torchvision's reference scripts (references/*/utils.py, MetricLogger.log_every), which many
// others took over (DETR, DINO, MAE, DeiT):
//   Epoch: [0]  [  10/5005]  eta: 1:02:03  lr: 0.1  loss: 6.9 (6.9)  time: 0.3  data: 0.1  max mem:
//   1 Epoch: [0] Total time: 0:25:01 Test:  [ 0/79]  eta: 0:01:00  loss: ...      Test: Total time:
//   0:00:30      Test:  Acc@1 71.2 ...
#include "src/base/core/text.hpp"
#include "src/measure/progress/format.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress::formats {
namespace {

/// The values of a line, without the times and the memory.
std::vector<NamedValue> values_of(std::string_view text) {
  auto values = named_values(text, false);
  std::erase_if(values, [](const auto& value) {
    return value.name == "time" || value.name == "data" || value.name == "max mem" ||
           value.name == "eta";
  });
  return values;
}

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override {
    if (const auto at = line.text.find("Epoch: ["); at < 64) {
      Scanner scanner(line.text.substr(at + 8));
      const auto epoch = whole(scanner);
      return epoch && scanner.skip("] ") ? train(*epoch, scanner) : std::nullopt;
    }
    if (const auto at = line.text.find("Test:"); at < 64 && epoch_) {
      Scanner scanner(line.text.substr(at + 5));
      return test(scanner);
    }
    return std::nullopt;
  }

 private:
  std::optional<Reading> train(std::int64_t epoch, Scanner& scanner) {
    Reading reading{.epoch = epoch};
    if (scanner.skip("Total time: ")) {
      if (!steps_ || epoch_ != epoch) {
        return std::nullopt;
      }
      reading.step = reading.steps = steps_;
      reading.duration_s = clock_time_s(scanner.word());
      reading.evidence = 0.5;
      return reading;
    }
    if (!take_steps(scanner, reading)) {
      return std::nullopt;
    }
    epoch_ = epoch;
    steps_ = reading.steps;
    reading.metrics = values_of(scanner.rest());
    reading.evidence = 0.5;
    return reading;
  }

  /// " [  10/5005]  eta: ": steps from 0, each printed when it is done.
  static bool take_steps(Scanner& scanner, Reading& reading) {
    scanner.skip_blanks();
    const auto steps = fraction(scanner);
    if (!steps || !steps->total || steps->number >= *steps->total || !scanner.skip("  eta: ")) {
      return false;
    }
    reading.step = steps->number + 1;
    reading.steps = steps->total;
    return true;
  }

  static std::optional<Reading> test(Scanner& scanner) {
    Reading reading{.phase = Phase::evaluate};
    if (scanner.skip(" Total time: ")) {
      reading.step = reading.steps = 1;
      return reading;
    }
    if (take_steps(scanner, reading)) {
      if (reading.step != reading.steps) {
        return reading;
      }
      --*reading.step;  // the line after it ends the evaluation
      return reading;
    }
    reading.metrics = named_values(scanner.rest(), true);
    reading.step = reading.steps = 1;
    return reading.metrics.empty() ? std::nullopt : std::optional(reading);
  }

  std::optional<std::int64_t> epoch_;
  std::optional<std::int64_t> steps_;
};

}  // namespace

FormatSpec torchvision() {
  return {
      .summary = "MetricLogger of torchvision's reference scripts: Epoch: [0]  [10/50]  eta: ...",
      .hints = {"Epoch: [", "Test:"},
      .general = false,
      .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
